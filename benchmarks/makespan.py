"""How long until the last of a batch of jobs ends, and how short could it be?

Prices of device hours come from the dual of the fluid problem: whatever the prices (scaled so that
all devices together cost 1 an hour), no schedule is shorter than the sum of each job's cheapest
cost. The best prices give the lower bound and also the rule: each job goes where its work is
cheapest, except jobs that would alone take most of the time left, which get their fastest class.
When the bound is no longer binding (few jobs left) speed replaces price. Long jobs go first.
"""

import numpy as np

from benchmarks.gavel_data import CLASSES, EACH, Measured
from benchmarks.gavel_streams import Stream
from scheduling.crater.allot import WAITS
from scheduling.crater.moves import Floats, Ints

MOVE_H, LOOK_H, REPRICE_H, NOTHING, NEVER_H = 30 / 3600, 0.2, 3.0, 1e-9, 1e9
CRITICAL, LOOSE, TIGHT = 0.8, 0.6, 0.9
_STEPS = np.linspace(0.01, 0.98, 40)
PRICES = np.array([(a, b, 1 - a - b) for a in _STEPS for b in _STEPS if a + b < 0.995]) / EACH


def makespan_h(measured: Measured, jobs: Stream) -> tuple[float, float]:
    """(makespan, lower bound) in hours for jobs that are all there at the start."""
    keys = zip(jobs.types, jobs.devices, strict=True)
    speed = np.array([measured.scaled[measured.types[kind], int(count)] for kind, count in keys]) * 3600
    left, delay, best = jobs.steps.copy(), np.zeros(len(speed)), speed.max(axis=1)
    chosen = np.full(len(speed), WAITS)
    bound, now_h, priced_h = 0.0, 0.0, -REPRICE_H
    while (left > 0).any():
        if now_h - priced_h >= REPRICE_H:
            volume, cheapness = _priced(speed, left, jobs.devices)
            bound, priced_h = bound or max(volume, float((left / best).max())), now_h
        before, chosen = chosen, _ranked(_worth(speed, left, volume, cheapness), jobs.devices)
        delay[(chosen != before) & (chosen != WAITS)] = MOVE_H
        rate = np.where(chosen == WAITS, 0.0, speed[np.arange(len(speed)), np.maximum(chosen, 0)])
        runs = rate > 0
        step = min(LOOK_H, float((left[runs] / rate[runs] + delay[runs]).min()))
        left = np.maximum(0.0, left - rate * np.maximum(0.0, step - delay))
        left[left <= NOTHING * best] = 0.0
        delay, now_h = np.maximum(0.0, delay - step), now_h + step
    return now_h, bound


def _priced(speed: Floats, left: Floats, devices: Ints) -> tuple[float, Floats]:
    """The best bound (h) over the price grid, and how near each class is to a job's cheapest (1 is cheapest)."""
    hours = np.full(speed.shape, NEVER_H)
    np.divide(left[:, None], speed, out=hours, where=speed > 0)
    costs = [float((hours * devices[:, None] * prices).min(axis=1).sum()) for prices in PRICES]
    top = int(np.argmax(costs))
    priced = np.maximum(hours, NOTHING) * PRICES[top]
    return costs[top], priced.min(axis=1, keepdims=True) / priced


def _worth(speed: Floats, left: Floats, volume: float, cheapness: Floats) -> Floats:
    best = speed.max(axis=1)
    alone = left / best
    rest = max(float(alone.max()), volume)
    pressure = min(1.0, max(0.0, (volume / rest - LOOSE) / (TIGHT - LOOSE)))
    progress = speed / best[:, None]
    calm = cheapness**pressure * progress ** (1 - pressure)
    worth = np.where((alone > CRITICAL * rest)[:, None], 10 * progress, calm) * np.sqrt(alone)[:, None]
    worth[speed <= 0] = 0.0
    return np.asarray(worth)


def _ranked(worth: Floats, devices: Ints) -> Ints:
    """Best pairs first while devices last."""
    free, chosen = [EACH] * len(CLASSES), np.full(len(worth), WAITS)
    for flat in np.argsort(-worth, axis=None, kind="stable").tolist():
        job, kind = divmod(flat, len(CLASSES))
        if worth[job, kind] <= 0 or not any(free):
            break
        if chosen[job] == WAITS and free[kind] >= devices[job]:
            chosen[job] = kind
            free[kind] -= int(devices[job])
    return chosen
