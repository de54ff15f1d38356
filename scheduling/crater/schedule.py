"""Decide who starts, who is held back for whom, and who must stop: one whole round on one Snapshot.

Pure, like plan.py, which says what fits; this says what may happen. The queue is ordered beside
what the teams hold (order.py), the first job that fits nowhere is given a reservation, and the
others start only where they cannot delay it (rounds.py). A refusal with the rule `backfill` would
fit: `need` is how long it may last, `have` when the head of the queue starts.
Committed by services/placement.py; the stops by services/preemption.py.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property

from scheduling.crater.askable import sifted
from scheduling.crater.kept import Memory
from scheduling.crater.model import Head, Plan, Policy, Refusal, Request, Running, Shortfall, Snapshot
from scheduling.crater.order import NOBODY, ordered
from scheduling.crater.plan import explained
from scheduling.crater.planner import Planner
from scheduling.crater.preempt import losses_of
from scheduling.crater.rounds import play
from scheduling.crater.running import Teams, teams_of
from scheduling.crater.site import PlannedSite
from scheduling.crater.turns import Round

BACKFILL = "backfill"
Read = Callable[[], Sequence[Running]]


def schedule(snapshot: Snapshot, read: Read | None = None, memory: Memory | None = None) -> Plan:
    """Every queued request is placed, held back or refused with reasons. Errors: BadSnapshot.

    `read` gives what runs instead of the snapshot. It is asked at most once, and only where an answer depends
    on it: when a job is blocked, or when a turn goes by what teams hold. `memory` makes the same plan cheaper: what
    was worked out for the round before is brought level (kept.py).
    """
    fine, refused = sifted(snapshot.queue)
    memory = memory or Memory()
    kept = memory.lend()
    planner = kept.level(replace(snapshot, queue=tuple(fine)))
    made = _played(planner, read or (lambda: snapshot.running))
    memory.take_back(kept)
    return replace(made, refusals=(*refused, *made.refusals))


def _played(planner: Planner, read: Read) -> Plan:
    snapshot = planner.scene.snapshot
    site = PlannedSite(snapshot, planner=planner)
    asked = _Asked(snapshot, site, read)
    played = play(ordered(snapshot.queue, snapshot.now_ms, _teams(snapshot, asked)), site, asked)
    head = _head(played, asked)
    requests = {request.job: request for request in snapshot.queue}
    held = [_held_back(requests[job], head) for job in played.held_back if head is not None]
    refusals = explained([requests[job] for job in played.unplaced], site.planner())
    return Plan(played.placements, (*refusals, *held), head)


class _Asked:
    """What runs, read when it is first asked for."""

    def __init__(self, snapshot: Snapshot, site: PlannedSite, read: Read) -> None:
        self._snapshot, self._site, self._read = snapshot, site, read
        self.now_ms = snapshot.now_ms

    @cached_property
    def running(self) -> Sequence[Running]:
        found = sorted(self._read(), key=lambda job: (job.ends_ms, job.key))
        self._site.hear(found)
        return found

    @cached_property
    def losses(self) -> Mapping[str, int] | None:
        if not any(job.preemptible for job in self.running):
            return None
        return losses_of(self.running, self._snapshot.nodes, self.now_ms)


def _teams(snapshot: Snapshot, asked: _Asked) -> Teams:
    """Who holds how much; asked for only where somebody's turn depends on it."""
    if all(request.policy is not Policy.FAIR_SHARE for request in snapshot.queue):
        return NOBODY
    return teams_of(snapshot.nodes, asked.running, snapshot.weights)


def _head(played: Round, asked: _Asked) -> Head | None:
    reservation, stopped = played.reservation, played.stopped
    if reservation is None:
        return None
    losses = asked.losses or {}
    keys = set(stopped.jobs) if stopped else set()
    lost = {running.job: losses[running.key] for running in asked.running if running.key in keys}
    stops = tuple(sorted(lost)) if stopped else ()
    nodes = ", ".join(reservation.nodes)
    return Head(reservation.job, nodes, reservation.start_ms, stops, tuple(lost[job] for job in stops))


def _held_back(request: Request, head: Head) -> Refusal:
    """It would fit, but may last into the start of the head."""
    lasts = request.runtime.p90_ms if request.runtime else None
    kind = request.needs[0].type if request.needs else ""
    reason = Shortfall(BACKFILL, head.node, None, kind, None, lasts, head.start_ms, unit="ms")
    return Refusal(request.job, True, {BACKFILL: 1}, reason, (reason,))
