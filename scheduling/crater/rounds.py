"""What happens in one round of decisions: who starts, who is held back, who must stop?

In the order of the queue each request is placed. The first that fits nowhere is the head: if
stopping jobs of lower rank makes room it gets that room, else the earliest certain start; either
way its devices are reserved. Those behind it start only where they cannot delay it (backfill.py).
A stopped job is not gone at once: its preemptor starts in a later round, and the reservation
keeps the room free. Pure over a Site (turns.py), which knows how to place; order.py gives the order.
"""

from collections.abc import Mapping, Sequence

from scheduling.crater.backfill import NEVER_MS, Reservation, may_backfill, reserve
from scheduling.crater.model import Pick, Placement, Request
from scheduling.crater.preempt import Victims, victims
from scheduling.crater.running import Running
from scheduling.crater.turns import Now, Round, Site


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
