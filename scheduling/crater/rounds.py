"""What happens in one round of decisions: who starts, who is held back, who must stop?

In the order of the queue each request is placed. The first that fits nowhere is the head: if
stopping jobs of lower rank makes room it gets that room, else the earliest certain start; either
way its devices are reserved. Those behind it start only where they cannot delay it (backfill.py).
A stopped job is not gone at once, so its preemptor starts in a later round; the reservation keeps the
room free meanwhile. Pure over a Site, which knows how to place; the order comes from order.py.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from scheduling.crater.backfill import NEVER_MS, Reservation, may_backfill, reserve
from scheduling.crater.model import Amounts, Pick, Placement, Request
from scheduling.crater.preempt import Victims, victims
from scheduling.crater.running import Running


class Site(Protocol):
    """The cluster as this round has left it so far."""

    def place(self, request: Request, gone: frozenset[str] = frozenset()) -> Placement | None:
        """The best place, were these running jobs gone."""
        ...

    def fits(self, request: Request, node: str, gone: frozenset[str]) -> bool:
        """Whether the request fits on this node, were these running jobs gone."""
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


@dataclass(frozen=True, slots=True)
class Now:
    """The instant, what runs, and what stopping each running job would lose."""

    now_ms: int
    running: Sequence[Running] = ()
    losses: Mapping[str, int] | None = None  # None: nobody is stopped


def bound_ms(request: Request, now_ms: int) -> int:
    """When a job started now will have ended; never, as far as anyone knows, without a forecast."""
    return now_ms + request.runtime.p90_ms if request.runtime else NEVER_MS


def play(queue: Sequence[Request], site: Site, now: Now) -> Round:
    """One round over an ordered queue."""
    placements: list[Placement] = []
    held: list[str] = []
    unplaced: list[str] = []
    running = list(now.running)
    stopped: Victims | None = None
    reservation: Reservation | None = None
    for request in queue:
        placement = site.place(request)
        if placement is None:
            unplaced.append(request.job)
            if reservation is None:
                stopped, reservation = _head(request, site, running, now.losses)
            continue
        ends_ms = bound_ms(request, now.now_ms)
        if reservation is not None and not may_backfill(reservation, placement.picks, ends_ms):
            held.append(request.job)
            continue
        reservation = reservation.after(placement.picks, ends_ms) if reservation else None
        site.take(placement)
        placements.append(placement)
        running.append(Running(request, placement.node, placement.picks, now.now_ms, ends_ms, now.now_ms, False))
    return Round(tuple(placements), stopped, reservation, tuple(held), tuple(unplaced))


def _head(
    request: Request, site: Site, running: Sequence[Running], losses: Mapping[str, int] | None
) -> tuple[Victims | None, Reservation | None]:
    """Room for the head: by stopping others, else by waiting; (None, None) when neither can help."""

    def picks_without(gone: frozenset[str]) -> tuple[Pick, ...] | None:
        placement = site.place(request, gone)
        return placement.picks if placement else None

    chosen = None
    if losses is not None:
        chosen = victims(request, running, losses, lambda node, gone: site.fits(request, node, gone))
    if chosen is None:
        return None, reserve(request.job, running, picks_without, site.free)
    # The victims are treated as gone by now: their room is the head's from this instant on.
    leaving = [r for r in running if r.job in chosen.jobs]
    return chosen, reserve(request.job, _at_once(leaving), picks_without, site.free)


def _at_once(leaving: Sequence[Running]) -> list[Running]:
    return [
        Running(r.request, r.node, r.picks, r.started_ms, r.started_ms, r.saved_ms, r.preemptible, r.preempted)
        for r in leaving
    ]
