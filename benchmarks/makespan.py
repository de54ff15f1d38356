"""How long until the last of a batch of jobs ends, and how short could it be?

The planner's programme (crater/makespan.py) says how long each job should run on each class; it is solved
anew every few hours for what is left, and followed in between. Starts and moves cost 30 s.
"""

import numpy as np

from benchmarks.gavel_data import CLASSES, EACH, Measured
from benchmarks.gavel_streams import Stream
from scheduling.crater.allot import WAITS
from scheduling.crater.makespan import least_span, ranked

MOVE_H, LOOK_H, RESOLVE_H, NOTHING = 30 / 3600, 0.2, 6.0, 1e-9


def makespan_h(measured: Measured, jobs: Stream) -> tuple[float, float]:
    """(makespan, lower bound) in hours for jobs that are all there at the start."""
    keys = zip(jobs.types, jobs.devices, strict=True)
    speed = np.array([measured.scaled[measured.types[kind], int(count)] for kind, count in keys]) * 3600
    left, chosen, delay = jobs.steps.copy(), np.full(len(speed), WAITS), np.zeros(len(speed))
    slots = np.full(len(CLASSES), EACH)
    hours = _hours(speed, left)
    bound, times = least_span(hours, jobs.devices, slots)
    now_h, solved_h = 0.0, 0.0
    while (live := np.flatnonzero(left > 0)).size:
        hours = _hours(speed[live], left[live])
        if now_h - solved_h >= RESOLVE_H:
            times[live] = least_span(hours, jobs.devices[live], slots, max(bound - now_h, NOTHING))[1]
            solved_h = now_h
        new = np.full(len(speed), WAITS)
        new[live] = ranked(times[live], hours, jobs.devices[live], slots, chosen[live])
        delay[(new != chosen) & (new != WAITS)] = MOVE_H
        chosen, where = new, np.maximum(new, 0)
        rate = np.where(new == WAITS, 0.0, speed[np.arange(len(speed)), where])
        runs = rate > 0
        step = min(LOOK_H, float((left[runs] / rate[runs] + delay[runs]).min()))
        worked = np.where(runs, np.maximum(0.0, step - delay), 0.0)
        times[np.arange(len(speed)), where] = np.maximum(0.0, times[np.arange(len(speed)), where] - worked)
        left = np.maximum(0.0, left - rate * worked)
        left[left <= NOTHING * jobs.steps] = 0.0
        delay, now_h = np.maximum(0.0, delay - step), now_h + step
    return now_h, bound


def _hours(speed: np.ndarray, left: np.ndarray) -> np.ndarray:
    """Hours for what is left on each class alone; infinite where the job cannot run."""
    found = np.full(speed.shape, np.inf)
    np.divide(left[:, None], speed, out=found, where=speed > 0)
    return found
