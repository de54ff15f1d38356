"""Who decides which class of device each job gets? Directors for simulate.py over 36 V100, 36 P100, 36 K80.

`Allotting` is ours (allot.py, sharing.py). `Agnostic` is the control: first come, first served, a
random class, as the published FIFO; landing near the published figure shows that the protocol is the same.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from benchmarks.gavel_data import CLASSES, EACH, Measured
from scheduling.crater.allot import WAITS, allot, worth_of
from scheduling.crater.director import NEVER_MS, Change, Task, World
from scheduling.crater.moves import Floats, Ints
from scheduling.crater.sharing import ALONE, Shared, share

HOUR_MS = 3_600_000
MOVE_MS = 30_000  # lost at every start and move; the published simulation charges nothing


@dataclass
class Allotting:
    """Exact allotment by progress and haste at every arrival and end, then sharing."""

    measured: Measured
    types: Mapping[str, int]
    is_sharing: bool = True
    names: list[str] = field(default_factory=list)
    chosen: Ints = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    mates: Ints = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    speeds: dict[str, float] = field(default_factory=dict)

    def step(self, now_ms: int, arrived: Sequence[Task], ended: Sequence[str], world: World) -> Mapping[str, Change]:
        """New speeds for everyone whose device or mate changed."""
        self._follow(arrived, ended)
        if not self.names:
            return {}
        before = self.chosen.copy()
        self._decide(np.array([world.left(name) for name in self.names]) / HOUR_MS)
        changes = {}
        for index, speed in enumerate(self._speeds().tolist()):
            name, moved = self.names[index], self.chosen[index] not in (before[index], WAITS)
            if moved or speed != self.speeds.get(name, 0.0):
                changes[name] = Change(speed, MOVE_MS if moved else 0)
                self.speeds[name] = speed
        return changes

    def wake_ms(self, now_ms: int) -> int:
        """Arrivals and ends suffice."""
        return NEVER_MS

    def _follow(self, arrived: Sequence[Task], ended: Sequence[str]) -> None:
        """Let ended jobs go, with their mates alone again, and append the new ones as waiting."""
        gone = set(ended)
        stays = np.array([name not in gone for name in self.names], dtype=bool)
        places = np.where(stays, np.cumsum(stays) - 1, ALONE)
        mates = np.where(self.mates >= 0, places[np.maximum(self.mates, 0)], ALONE) if len(stays) else self.mates
        new = np.full(len(arrived), WAITS, dtype=np.int64)
        self.chosen, self.mates = np.concatenate([self.chosen[stays], new]), np.concatenate([mates[stays], new])
        self.names = [*(n for n in self.names if n not in gone), *(task.name for task in arrived)]
        for name in ended:
            self.speeds.pop(name, None)

    def _decide(self, left_h: Floats) -> None:
        types = np.array([self.types[name] for name in self.names])
        speed = self.measured.alone[types]
        worth = worth_of(speed, left_h)
        slots = np.full(len(CLASSES), EACH)
        paired = self.mates >= 0
        slots -= np.bincount(self.chosen[paired], minlength=len(CLASSES)) // 2
        self.chosen[~paired] = allot(worth[~paired], slots, self.chosen[~paired])
        if self.is_sharing:
            scale = worth[:, 0] / speed[:, 0]
            together = self.measured.together[:, types[:, None], types[None, :]] * scale[None, :, None]
            alone = self.chosen[(self.mates == ALONE) & (self.chosen != WAITS)]
            free = slots - np.bincount(alone, minlength=len(CLASSES))
            share(worth, together, Shared(self.chosen, self.mates, free))

    def _speeds(self) -> Floats:
        """Relative to each job's best class alone."""
        types = np.array([self.types[name] for name in self.names])
        alone = self.measured.alone[types]
        rate = np.where(self.chosen == WAITS, 0.0, alone[np.arange(len(types)), np.maximum(self.chosen, 0)])
        paired = np.flatnonzero(self.mates >= 0)
        rate[paired] = self.measured.together[self.chosen[paired], types[paired], types[self.mates[paired]]]
        return np.asarray(rate / alone.max(axis=1))
