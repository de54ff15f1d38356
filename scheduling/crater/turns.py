"""What does a round of decisions see, and what does it say? The values and the protocol of rounds.py."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from scheduling.crater.backfill import Reservation
from scheduling.crater.model import Amounts, Placement, Request
from scheduling.crater.preempt import Victims
from scheduling.crater.running import Running

#: What is lost when the member goes to the node; None when it cannot, or where more than the ceiling would be lost.
LossOn = Callable[[Request, str, int | None], int | None]


class Site(Protocol):
    """The cluster as this round has left it so far."""

    def place(self, request: Request, gone: frozenset[str] = frozenset()) -> Placement | None:
        """The best place, were these running jobs gone."""
        ...

    def fits(self, request: Request, node: str, gone: frozenset[str]) -> bool:
        """Whether the request fits on this node, were these running jobs gone."""
        ...

    def seats(
        self, members: Sequence[Request], nodes: Sequence[str], loss: LossOn, *, simulated: bool
    ) -> tuple[str, ...]:
        """A node of one kind for each member, at the least total loss; nothing where there is room. Empty: too few."""
        ...

    def take(self, placement: Placement) -> None:
        """Book a placement for the rest of the round; from then on its job may be among the `gone` too."""
        ...

    def free(self, device: str) -> Amounts:
        """What is free of a device now."""
        ...


@dataclass(frozen=True, slots=True)
class Round:
    """Decisions in the order they were made."""

    placements: tuple[Placement, ...] = ()
    stopped: Victims | None = None  # to make room for the head
    reservation: Reservation | None = None
    held_back: tuple[str, ...] = ()  # would fit, but could delay the head
    unplaced: tuple[str, ...] = ()  # fit nowhere now; the head is among them


class Moment(Protocol):
    """The instant, what runs, and what stopping each running job would lose; asked for only once a job is blocked."""

    @property
    def now_ms(self) -> int: ...

    @property
    def running(self) -> Sequence[Running]: ...

    @property
    def losses(self) -> Mapping[str, int] | None: ...


@dataclass(frozen=True, slots=True)
class Now:
    """A Moment of which everything is known already."""

    now_ms: int
    running: Sequence[Running] = ()
    losses: Mapping[str, int] | None = None  # None: nobody is stopped
