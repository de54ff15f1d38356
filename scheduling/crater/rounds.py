"""What happens in one round of decisions: who starts, who is held back, who must stop?

In the order of the queue each request is placed. The first that fits nowhere is the head: if jobs
that leave already make room it waits for them; else, if stopping jobs of lower rank makes room, it
gets that room; else the earliest certain start. Either way its devices are reserved. Those behind it
start only where they cannot delay it (backfill.py), if need be on another node than their best.
A stopped job is not gone at once: its preemptor starts in a later round, and the reservation
keeps the room free. Pure over a Site (turns.py), which knows how to place; order.py gives the order.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from scheduling.crater.backfill import NEVER_MS, Asks, FitsOn, Reservation, may_backfill, reserve
from scheduling.crater.gang import is_gang, members_in
from scheduling.crater.gang_head import reserve_gang
from scheduling.crater.gang_victims import victims_of_gang
from scheduling.crater.model import Placement, Request, Running
from scheduling.crater.preempt import Victims, leaving_by_node, victims
from scheduling.crater.turns import Moment, Round, Site


def bound_ms(request: Request, now_ms: int) -> int:
    """When a job started now will have given back its room; never, as far as anyone knows, without a forecast."""
    return now_ms + request.runtime.p90_ms + request.grace_ms if request.runtime else NEVER_MS


def play(queue: Sequence[Request], site: Site, now: Moment) -> Round:
    """One round over an ordered queue."""
    placements: list[Placement] = []
    held: list[str] = []
    unplaced: list[str] = []
    started: list[Running] = []
    stopped: Victims | None = None
    reservation: Reservation | None = None
    for request in queue:
        placement = site.place(request)
        if placement is None:
            unplaced.append(request.job)
            if reservation is None:
                stopped, reservation = _head(request, site, [*now.running, *started], now.losses)
            continue
        ends_ms = bound_ms(request, now.now_ms)
        if reservation is not None:
            placement = harmless(request, placement, (site, reservation, ends_ms))
            if placement is None:
                held.append(request.job)
                continue
            reservation = reservation.after(placement.picks, ends_ms)
        site.take(placement)
        placements.append(placement)
        started += _started(request, placement, now.now_ms, ends_ms)
    return Round(tuple(placements), stopped, reservation, tuple(held), tuple(unplaced))


def _started(request: Request, placement: Placement, now_ms: int, ends_ms: int) -> list[Running]:
    """The job, or each member of the gang, as it runs from now on."""
    return [
        Running(request, part.node, part.picks, now_ms, ends_ms, now_ms, False, member=number)
        for number, part in zip(members_in(placement), placement.parts, strict=True)
    ]


def harmless(request: Request, first: Placement, beside: tuple[Site, Reservation, int]) -> Placement | None:
    """The best place, or the best beside the reserved nodes, where the job cannot delay the head."""
    site, reservation, ends_ms = beside
    if may_backfill(reservation, first.picks, ends_ms):
        return first
    if not set(first.nodes) & set(reservation.nodes):
        return None
    elsewhere = site.place(replace(request, avoid_nodes=(*request.avoid_nodes, *reservation.nodes)))
    return elsewhere if elsewhere and may_backfill(reservation, elsewhere.picks, ends_ms) else None


def _head(
    request: Request, site: Site, running: Sequence[Running], losses: Mapping[str, int] | None
) -> tuple[Victims | None, Reservation | None]:
    """Room for the head: by stopping others, else by waiting; (None, None) when neither can help."""
    asks = Asks(lambda node, gone: site.fits(request, node, gone), lambda gone: site.place(request, gone), site.free)
    coming = _reserved(request, [r for r in running if r.leaving], asks)
    if coming is not None:
        return None, coming
    chosen = None if losses is None else _victims(request, site, running, losses)
    if chosen is None:
        return None, _reserved(request, running, asks)
    # The victims are treated as gone by now: their room is the head's from this instant on.
    return chosen, _reserved(request, _at_once(running, chosen.jobs), asks)


def _reserved(request: Request, running: Sequence[Running], asks: Asks) -> Reservation | None:
    return reserve_gang(running, asks) if is_gang(request) else reserve(request.job, running, asks)


def _victims(request: Request, site: Site, running: Sequence[Running], losses: Mapping[str, int]) -> Victims | None:
    if is_gang(request):
        return victims_of_gang(request, running, losses, site)
    fits = _beside_leaving(lambda node, gone: site.fits(request, node, gone), running)
    return victims(request, running, losses, fits)


def _beside_leaving(fits: FitsOn, running: Iterable[Running]) -> FitsOn:
    leaving = leaving_by_node(running)
    return lambda node, gone: fits(node, gone | leaving.get(node, frozenset()))


def _at_once(running: Sequence[Running], stopped: Sequence[str]) -> list[Running]:
    return [replace(r, ends_ms=r.started_ms) for r in running if r.leaving or r.key in stopped]
