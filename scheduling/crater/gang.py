"""Where do the members of a gang go, all of them or none?

Members are requests that start together, each wholly on one node. The hardest member (fewest
places) goes first; when a later one finds no room, earlier ones are moved, within a bounded number
of steps. A refusal names the worst member: the one that found no room in the deepest attempt.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from scheduling.crater.model import Placement, Request

Places = Callable[[Request, tuple[Placement, ...]], Sequence[Placement]]  # best first, with those already taken
STEPS = 500


@dataclass(frozen=True, slots=True)
class GangAnswer:
    """Either every member's placement, or the member that stands in the way."""

    placements: tuple[Placement, ...] = ()
    worst: str | None = None
    is_exhaustive: bool = True  # False when the search was cut off, so a fit may exist


def place_gang(members: Sequence[Request], places: Places) -> GangAnswer:
    """All members together; placements come in the order of `members`."""
    line = sorted(members, key=lambda m: (len(places(m, ())), m.job))
    search = _Search(line, places)
    if not search.run(()):
        worst = line[search.deepest].job if line else None
        return GangAnswer(worst=worst, is_exhaustive=search.steps >= 0)
    by_job = {placement.job: placement for placement in search.found}
    return GangAnswer(tuple(by_job[m.job] for m in members))


class _Search:
    """Depth-first over the members."""

    def __init__(self, line: Sequence[Request], places: Places) -> None:
        self.line, self.places = line, places
        self.steps, self.deepest = STEPS, 0
        self.found: tuple[Placement, ...] = ()

    def run(self, done: tuple[Placement, ...]) -> bool:
        if len(done) == len(self.line):
            self.found = done
            return True
        self.deepest = max(self.deepest, len(done))
        for placement in self.places(self.line[len(done)], done):
            self.steps -= 1
            if self.steps < 0:
                return False
            if self.run((*done, placement)):
                return True
        return False
