"""May a job overtake the blocked head of the queue? Only if it cannot delay it.

The head gets a Reservation: the earliest instant at which it fits once running jobs have ended at
their upper bounds, the devices it will then use, and what is spare on them beside it. Another job
may start now when it ends before that instant, or takes only what is spare.

Guarantee: if every running and overtaking job ends by its bound, the head starts no later than
with nobody overtaking. Bounds that are quantiles make it hold as often as they do.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from scheduling.crater.model import Amounts, Pick
from scheduling.crater.running import Running
from scheduling.crater.vector import minus

PlaceWithout = Callable[[frozenset[str]], Sequence[Pick] | None]  # picks of the head once these jobs are gone
NEVER_MS = 1 << 62


@dataclass(frozen=True, slots=True)
class Reservation:
    """Where and when the head will start; `spare` maps its devices to what is left beside it then."""

    job: str
    start_ms: int
    picks: tuple[Pick, ...] = ()
    spare: Mapping[str, Amounts] = field(default_factory=dict)

    def after(self, picks: Sequence[Pick], ends_ms: int) -> "Reservation":
        """The reservation once an overtaking job has been let in."""
        if ends_ms <= self.start_ms:
            return self
        spare = dict(self.spare)
        for pick in picks:
            if pick.device in spare:
                spare[pick.device] = minus(spare[pick.device], pick.amounts)
        return replace(self, spare=spare)


def reserve(
    job: str, running: Sequence[Running], place_without: PlaceWithout, free: Callable[[str], Amounts]
) -> Reservation | None:
    """The earliest certain start of the head; None when it would not fit even with all of them gone.

    `free` gives what is free of a device now. Fitting is monotone (less load never hurts), so
    the number of jobs to wait for is found by bisection.
    """
    leaving = sorted(running, key=lambda r: (r.ends_ms, r.job))
    low, high = 1, len(leaving)
    if not leaving or place_without(frozenset(r.job for r in leaving)) is None:
        return None
    while low < high:
        middle = (low + high) // 2
        gone = frozenset(r.job for r in leaving[:middle])
        low, high = (low, middle) if place_without(gone) is not None else (middle + 1, high)
    start_ms = leaving[low - 1].ends_ms
    gone_jobs = [r for r in leaving if r.ends_ms <= start_ms]
    picks = tuple(place_without(frozenset(r.job for r in gone_jobs)) or ())
    return Reservation(job, start_ms, picks, _spare(picks, gone_jobs, free))


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
