"""How long do the jobs of one stream take under one director? Mean completion times of jobs 4000 to 5000."""

import numpy as np

from benchmarks.agnostic import Agnostic
from benchmarks.class_directors import HOUR_MS, Allotting
from benchmarks.gavel_data import Measured
from benchmarks.gavel_streams import Stream, stream
from scheduling.crater.director import Director, Task
from scheduling.crater.simulate import Simulation

WINDOW = (4_000, 5_000)  # the measured jobs
CONTROL_RATE = 4.0  # a rate at which the published FIFO is still stable


def jct_h(measured: Measured, per_hour: float, seed: int, is_sharing: bool = True) -> float:
    """Mean completion time (h) of jobs 4000-5000 under our allotment."""
    jobs = stream(measured, per_hour, _jobs(), seed)
    director = Allotting(measured, _types(jobs), is_sharing)
    return _window_h(measured, jobs, director)


def lone_h(measured: Measured, per_hour: float, seed: int) -> float:
    """The same jobs if each had its best class at once, alone: no policy can do better without luck in pairs."""
    jobs = stream(measured, per_hour, _jobs(), seed)
    best = measured.alone[jobs.types].max(axis=1)
    return float((jobs.steps / best)[slice(*WINDOW)].mean()) / 3600


def control_h(measured: Measured, seed: int) -> float:
    """The same window under class-blind first come, first served."""
    jobs = stream(measured, CONTROL_RATE, _jobs(), seed)
    return _window_h(measured, jobs, Agnostic(measured, _types(jobs), np.random.default_rng(seed + 1_000)))


def _jobs() -> int:
    return WINDOW[1] + 600  # arrivals go on while the window's last jobs run


def _types(jobs: Stream) -> dict[str, int]:
    return {f"{index:05d}": int(kind) for index, kind in enumerate(jobs.types)}


def _window_h(measured: Measured, jobs: Stream, director: Director) -> float:
    best = measured.alone[jobs.types].max(axis=1)
    tasks = [
        Task(f"{index:05d}", round(arrives * HOUR_MS), float(steps / speed * 1000))
        for index, (arrives, steps, speed) in enumerate(zip(jobs.arrives_h, jobs.steps, best, strict=True))
    ]
    window = {f"{index:05d}" for index in range(*WINDOW)}
    outcomes = Simulation(tasks, director, window).run()
    lasted = [o.ends_ms - o.arrive_ms for o in outcomes if o.name in window and o.ends_ms is not None]
    return float(np.mean(lasted)) / HOUR_MS
