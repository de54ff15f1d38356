"""May a job overtake the blocked head of the queue? Only if it cannot delay it.

The head gets a Reservation: the earliest instant at which it fits once running jobs have ended at
their upper bounds, the devices it will then use, and what is spare on them beside it. Another job
may start now when it ends before that instant, or takes only what is spare.

Guarantee: if every running and overtaking job ends by its bound, the head starts no later than
with nobody overtaking. Bounds that are quantiles make it hold as often as they do.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby

from scheduling.crater.model import Amounts, Pick, Placement
from scheduling.crater.running import Running
from scheduling.crater.vector import minus

FitsOn = Callable[[str, frozenset[str]], bool]  # would the head fit on this node once these jobs are gone?
PlaceWithout = Callable[[frozenset[str]], Placement | None]  # the head's place once these jobs are gone
NEVER_MS = 1 << 62


@dataclass(frozen=True, slots=True)
class Reservation:
    """Where and when the head will start; `spare` maps its devices to what is left beside it then."""

    job: str
    start_ms: int
    picks: tuple[Pick, ...] = ()
    spare: Mapping[str, Amounts] = field(default_factory=dict)
    nodes: tuple[str, ...] = ()

    @property
    def node(self) -> str:
        """Where a head that is no gang will start, or the first member of a gang."""
        return self.nodes[0] if self.nodes else ""

    def after(self, picks: Sequence[Pick], ends_ms: int) -> "Reservation":
        """The reservation once an overtaking job has been let in."""
        if ends_ms <= self.start_ms:
            return self
        spare = dict(self.spare)
        for pick in picks:
            if pick.device in spare:
                spare[pick.device] = minus(spare[pick.device], pick.amounts)
        return replace(self, spare=spare)


@dataclass(frozen=True, slots=True)
class Asks:
    """What a reservation must ask the cluster about the head. `free` is what is free of a device now."""

    fits: FitsOn
    place: PlaceWithout
    free: Callable[[str], Amounts]


def reserve(job: str, running: Sequence[Running], asks: Asks) -> Reservation | None:
    """The earliest certain start of a head that fits nowhere now; None when it would not fit with all of them gone.

    Running jobs are thought away in the order of their ends; only the node that one leaves is looked at again.
    """
    gone: dict[str, list[Running]] = {}
    for start_ms, ending in groupby(sorted(running, key=lambda r: (r.ends_ms, r.key)), key=lambda r: r.ends_ms):
        touched = list(ending)
        for leaving in touched:
            gone.setdefault(leaving.node, []).append(leaving)
        for node in dict.fromkeys(r.node for r in touched):
            names = frozenset(r.key for r in gone[node])
            placement = asks.place(names) if asks.fits(node, names) else None
            if placement is not None:
                return reservation(placement, start_ms, gone[node], asks.free)
    return None


def reservation(
    placement: Placement, start_ms: int, gone: Sequence[Running], free: Callable[[str], Amounts]
) -> Reservation:
    """The head's future place, once these have gone."""
    return Reservation(placement.job, start_ms, placement.picks, _spare(placement.picks, gone, free), placement.nodes)


def may_backfill(reservation: Reservation, picks: Sequence[Pick], ends_ms: int) -> bool:
    """True when a job with these picks, gone by `ends_ms`, cannot delay the head."""
    if ends_ms <= reservation.start_ms:
        return True
    asked: dict[str, dict[str, int]] = {}
    for pick in picks:
        mine = asked.setdefault(pick.device, {})
        for name, amount in pick.amounts.items():
            mine[name] = mine.get(name, 0) + amount
    spare = reservation.spare
    return all(
        amount <= spare[device].get(name, 0)
        for device, amounts in asked.items()
        if device in spare
        for name, amount in amounts.items()
    )


def _spare(picks: Sequence[Pick], gone: Sequence[Running], free: Callable[[str], Amounts]) -> dict[str, Amounts]:
    """What the reserved devices have left at the start beside the head."""
    spare: dict[str, dict[str, int]] = {}
    for pick in picks:
        spare.setdefault(pick.device, dict(free(pick.device)))
    for job in gone:
        for freed in job.picks:
            if freed.device in spare:
                mine = spare[freed.device]
                for name, amount in freed.amounts.items():
                    mine[name] = mine.get(name, 0) + amount
    for pick in picks:
        spare[pick.device] = minus(spare[pick.device], pick.amounts)
    return dict(spare)
