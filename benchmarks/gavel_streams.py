"""Which jobs arrive, and when? Random streams by the protocol of the Gavel study."""

from dataclasses import dataclass

import numpy as np

from benchmarks.gavel_data import Measured
from scheduling.crater.moves import Floats, Ints

GPUS, GPU_ODDS = (1, 2, 4, 8), (0.70, 0.10, 0.15, 0.05)


@dataclass(frozen=True)
class Stream:
    """Jobs of one run: arrival (h), type, devices, and steps of work."""

    arrives_h: Floats
    types: Ints
    devices: Ints
    steps: Floats


def stream(measured: Measured, per_hour: float, jobs: int, seed: int) -> Stream:
    """Poisson arrivals of single-device jobs by the published protocol."""
    chance = np.random.default_rng(seed)
    arrives = np.cumsum(chance.exponential(1 / per_hour, jobs))
    types = chance.integers(0, len(measured.types), jobs)
    hours = _hours(chance, jobs)
    return Stream(arrives, types, np.ones(jobs, dtype=np.int64), hours * 3600 * measured.alone[types, 0])


def batch(measured: Measured, jobs: int, seed: int, odds: tuple[float, ...] = GPU_ODDS) -> Stream:
    """Jobs that are all there at the start; several devices only for types that were measured so."""
    chance = np.random.default_rng(seed)
    devices = chance.choice(GPUS, jobs, p=odds)
    types = np.array([chance.choice(_scalable(measured, int(count))) for count in devices])
    v100 = np.array([measured.scaled[measured.types[t], int(n)][0] for t, n in zip(types, devices, strict=True)])
    return Stream(np.zeros(jobs), types, devices, _hours(chance, jobs) * 3600 * v100)


def _scalable(measured: Measured, devices: int) -> list[int]:
    return [index for index, name in enumerate(measured.types) if (name, devices) in measured.scaled]


def _hours(chance: np.random.Generator, jobs: int) -> Floats:
    """Durations on a V100: 10^U(1.5, 3) minutes for four in five, 10^U(3, 4) for the rest."""
    short, long = 10 ** chance.uniform(1.5, 3, jobs), 10 ** chance.uniform(3, 4, jobs)
    return np.asarray(np.where(chance.random(jobs) < 0.8, short, long) / 60)
