"""What does class-blind first come, first served do? The control of the heterogeneity benchmark.

Landing near the published FIFO shows that the protocol is the same.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from benchmarks.gavel_data import CLASSES, EACH, Measured
from scheduling.crater.director import NEVER_MS, Change, Task, World


@dataclass
class Agnostic:
    """First come, first served on any free device: the class is drawn at random, and kept to the end."""

    measured: Measured
    types: Mapping[str, int]
    chance: np.random.Generator
    queue: list[str] = field(default_factory=list)
    where: dict[str, int] = field(default_factory=dict)
    free: list[int] = field(default_factory=lambda: [EACH] * len(CLASSES))

    def step(self, now_ms: int, arrived: Sequence[Task], ended: Sequence[str], world: World) -> Mapping[str, Change]:
        """Start the oldest jobs as far as devices go."""
        for name in ended:
            self.free[self.where.pop(name)] += 1
        self.queue.extend(task.name for task in arrived)
        changes = {}
        while self.queue and any(self.free):
            name = self.queue.pop(0)
            open_ = [index for index, count in enumerate(self.free) if count]
            where = self.where[name] = int(self.chance.choice(open_))
            self.free[where] -= 1
            speed = self.measured.alone[self.types[name]]
            changes[name] = Change(float(speed[where] / speed.max()))
        return changes

    def wake_ms(self, now_ms: int) -> int:
        """Arrivals and ends suffice."""
        return NEVER_MS
