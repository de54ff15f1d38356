"""Decide who starts, who is held back for whom, and who must stop: one whole round on one Snapshot.

Pure, like plan.py, which says what fits; this says what may happen. The queue is ordered beside
what the teams hold (order.py), the first job that fits nowhere is given a reservation, and the
others start only where they cannot delay it (rounds.py). A refusal with the rule `backfill` would
fit: `need` is how long it may last, `have` when the head of the queue starts.
Committed by services/placement.py; the stops by services/preemption.py.
"""

from collections.abc import Sequence
from dataclasses import replace

from scheduling.crater.model import Head, Plan, Policy, Refusal, Request, Shortfall, Snapshot
from scheduling.crater.order import NOBODY, ordered
from scheduling.crater.plan import explained
from scheduling.crater.preempt import losses_of
from scheduling.crater.rounds import play
from scheduling.crater.running import Teams, teams_of
from scheduling.crater.site import PlannedSite
from scheduling.crater.sound import sifted, sound
from scheduling.crater.turns import Now, Round

BACKFILL = "backfill"


def schedule(snapshot: Snapshot) -> Plan:
    """Every queued request is placed, held back or refused with reasons. Errors: BadSnapshot."""
    fine, refused = sifted(snapshot.queue)
    snapshot = sound(replace(snapshot, queue=tuple(fine)))
    running = tuple(sorted(snapshot.running, key=lambda r: (r.ends_ms, r.job)))
    losses = losses_of(running, snapshot.nodes, snapshot.now_ms) if any(r.preemptible for r in running) else None
    site = PlannedSite(snapshot, running)
    queue = ordered(snapshot.queue, snapshot.now_ms, _teams(snapshot))
    played = play(queue, site, Now(snapshot.now_ms, running, losses))
    head = _head(played, losses or {})
    unplaced, held = set(played.unplaced), set(played.held_back)
    refusals = [
        *refused,
        *explained([r for r in queue if r.job in unplaced], site.planner()),
        *(_held_back(r, head) for r in queue if r.job in held and head is not None),
    ]
    return Plan(played.placements, tuple(refusals), head)


def _teams(snapshot: Snapshot) -> Teams:
    """Who holds how much; asked for only where somebody's turn depends on it."""
    if all(request.policy is not Policy.FAIR_SHARE for request in snapshot.queue):
        return NOBODY
    return teams_of(snapshot.nodes, snapshot.running, snapshot.weights)


def _head(played: Round, losses: dict[str, int]) -> Head | None:
    reservation, stopped = played.reservation, played.stopped
    if reservation is None:
        return None
    stops: Sequence[str] = stopped.jobs if stopped else ()
    return Head(
        reservation.job, reservation.node, reservation.start_ms, tuple(stops), tuple(losses[job] for job in stops)
    )


def _held_back(request: Request, head: Head) -> Refusal:
    lasts = request.runtime.p90_ms if request.runtime else None
    kind = request.needs[0].type if request.needs else ""
    reason = Shortfall(BACKFILL, head.node, None, kind, None, lasts, head.start_ms, unit="ms")
    return Refusal(request.job, True, {BACKFILL: 1}, reason, (reason,))
