"""How early can a batch of jobs all be done, and who should run where until then?

Jobs take different hours on different classes of devices and may move. `least_span` is a linear
programme: shortest span in which every job gets its work done, none running longer than the span,
no class giving more device hours than it has. No schedule is shorter, and its hours of each job
on each class are what `ranked` follows, most pressing first, moving as little as it can.

Shapes: hours (jobs, classes), infinite where a job cannot run; devices (jobs,); slots (classes,).
"""

import numpy as np

from scheduling.crater.allot import WAITS
from scheduling.crater.interior import Programme, solve
from scheduling.crater.moves import Floats, Ints

ROUNDS, CLOSE = 12, 1e-3
LITTLE = 1e-4  # a part of the span too small to count
URGENT, STAYS, WIDE = 10.0, 3.0, 0.3  # checked on seeds 11 and 12 of the heterogeneity benchmark
WORTHWHILE = 0.3  # progress beside the best class below which an idle device stays idle


def least_span(hours: Floats, devices: Ints, slots: Ints, at_least: float = 0.0) -> tuple[float, Floats]:
    """(hours that no schedule can beat, hours of each job on each class); `at_least` when the span is known already."""
    alone = float(hours.min(axis=1).max())
    span = max(at_least, alone)
    for _ in range(ROUNDS):
        found, times = _within(hours, devices, slots, span)
        # Time enough for any one job, and devices enough for all: they agree at the shortest span.
        if at_least or abs(found - span) <= CLOSE * span or found <= span == alone:
            break
        span = max(alone, (span + found) / 2)
    return max(alone, min(span, found)), times


def _within(hours: Floats, devices: Ints, slots: Ints, span: float) -> tuple[float, Floats]:
    """The shortest time that the classes' devices need when no job may run longer than `span`."""
    jobs, classes = hours.shape
    job, kind = np.nonzero(np.isfinite(hours))
    each = hours[job, kind]
    count, caps = len(job), 2 * jobs
    parts = np.arange(count)
    row = [
        2 * job,
        2 * job + 1,
        caps + kind,
        2 * np.arange(jobs) + 1,
        caps + np.arange(classes),
        caps + np.arange(classes),
    ]
    column = [
        parts,
        parts,
        parts,
        count + np.arange(jobs),
        count + jobs + np.arange(classes),
        np.full(classes, count + jobs + classes),
    ]
    value = [np.ones(count), each / span, devices[job] * each / (slots[kind] * span)]
    value += [np.ones(jobs), np.ones(classes), -np.ones(classes)]
    rows, columns, values = (np.concatenate(part) for part in (row, column, value))
    order = np.argsort(columns, kind="stable")
    b, c = np.ones(caps + classes), np.zeros(count + jobs + classes + 1)
    b[caps:], c[-1] = 0.0, 1.0
    x, _ = solve(Programme(rows[order], columns[order], values[order], b, c, jobs, 2))
    times = np.zeros(hours.shape)
    times[job, kind] = x[:count] * each
    return float(x[-1]) * span, times


def ranked(times: Floats, hours: Floats, devices: Ints, slots: Ints, now: Ints) -> Ints:
    """The class of each job for the present, WAITS for none: by the programme's hours, then what is idle."""
    rest = max(float(times.sum(axis=1).max()), 1e-9)
    stays = np.arange(hours.shape[1])[None, :] == now[:, None]
    worth = URGENT * times.sum(axis=1)[:, None] / rest + times / rest + STAYS * stays
    worth = np.where(times > LITTLE * rest, worth * devices[:, None] ** WIDE, 0.0)
    chosen, free = np.full(len(hours), WAITS), slots.copy()
    _take(worth, devices, free, chosen)
    if free.any():
        best = hours.min(axis=1, keepdims=True)
        progress = best / hours
        _take(np.where(progress > WORTHWHILE, progress * np.sqrt(best), 0.0), devices, free, chosen)
    return chosen


def _take(worth: Floats, devices: Ints, free: Ints, chosen: Ints) -> None:
    """Best pairs first while devices last."""
    classes = worth.shape[1]
    flat = worth.ravel()
    for place in np.argsort(-flat, kind="stable").tolist():
        job, kind = divmod(place, classes)
        if flat[place] <= 0 or not free.any():
            break
        if chosen[job] == WAITS and free[kind] >= devices[job]:
            chosen[job] = kind
            free[kind] -= devices[job]
