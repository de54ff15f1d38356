"""What a new job can expect, without playing a whole round for each submission.

A Sight is one look at the cluster, its queue and the past of its users, shared by the submissions of the next moments:
the longer a look takes the longer it is shared, so looking never takes more than a small part of a process's time.
What joins the queue meanwhile through this process is taken along. A sight only foretells: placements are decided in
services/placement.py on fresh rows, and nothing is refused on the word of a sight (services/submission.py).
"""

import json
from dataclasses import replace
from threading import Lock
from uuid import UUID
from weakref import WeakKeyDictionary

from alldata.kernel.ids import uuid7
from scheduling.crater.latecomer import Aftermath
from scheduling.crater.model import Placement, Policy, Request, Snapshot
from scheduling.crater.scene import Scene
from scheduling.crater.unit_slip import unit_slips
from scheduling.models import Job
from scheduling.ports import PriceQuotes
from scheduling.services.answer import PreCheck
from scheduling.services.checking import Checked
from scheduling.services.evidence import Evidence
from scheduling.services.outlook import starts
from scheduling.services.precheck import turn_of, unborn
from scheduling.services.telling import Blocked, View, free_later, free_now
from scheduling.snapshot import build_snapshot, request_of

#: How long a sight is shared: a quarter of a second, and more for each machine and each waiting job that was looked at.
KEEP_MS, KEEP_A_NODE_MS, KEEP_A_JOB_MS, KEEP_A_REHEARSAL_MS = 250, 5, 2, 500
#: Who would have to wait for a new sight goes on with an older one, up to this many times as long.
PATIENCE = 2
#: So many different waits are rehearsed in one sight; further ones are told that they wait, and not until when.
MOST_REHEARSED = 6


class Sight:
    """One look; see the module. The planner is shared by threads, hence the lock; rehearsals are nobody else's."""

    def __init__(self, snapshot: Snapshot) -> None:
        self.now_ms = snapshot.now_ms
        self.keep_ms = KEEP_MS + KEEP_A_NODE_MS * len(snapshot.nodes) + KEEP_A_JOB_MS * len(snapshot.queue)
        self._snapshot, self._after, self._scene = snapshot, Aftermath(snapshot), Scene(snapshot)
        self._someone_may_be_stopped = any(running.preemptible for running in snapshot.running)
        models = {d.uuid: f"{d.type}:{d.attributes.get('model', '')}" for node in snapshot.nodes for d in node.devices}
        self._evidence = Evidence(now_ms=snapshot.now_ms, models=models)
        self._requests: dict[object, Request] = {}
        self._projects: dict[UUID, Job] = {}
        self._turns: dict[object, Placement | Blocked] = {}
        self._rehearsals = 0
        self._lock = Lock()

    def is_fresh(self, now_ms: int, *, patience: int = 1) -> bool:
        """Whether it may still be shared."""
        return 0 <= now_ms - self.now_ms < self.keep_ms * patience

    def forecast(self, checked: Checked, *, now_ms: int) -> tuple[Job, PreCheck]:
        """The job as it would be stored, and what it can expect."""
        with self._lock:
            job = self._unborn(checked, now_ms)
            request = self._request(job)
            placement = self._after.place(request)
            key = None if placement else (self._after.planner.kind(request), self._after.turn(request))
            found = placement or self._turns.get(key)
            stage = None
            if found is None:
                found, stage = self._met(request)
                self._turns[key] = found  # for all who ask before it is rehearsed
        if stage is not None:  # others need not wait for it
            found = self._turns[key] = self._rehearsed(request, found, stage)
        view = View(now_ms, self._scene, self._evidence)
        return job, free_now(found, job, view) if isinstance(found, Placement) else free_later(found, job, view)

    def _met(self, request: Request) -> tuple[Blocked, Snapshot | None]:
        """Why such a request waits, and the stage on which its start is to be rehearsed, if it is."""
        refusal = self._after.refusal(request)
        found = Blocked(refusal, unit_slips(request.needs, self._snapshot.nodes))
        if not refusal.possible or self._rehearsals == MOST_REHEARSED:
            return found, None
        self._rehearsals += 1
        self.keep_ms += KEEP_A_REHEARSAL_MS
        if self._someone_may_be_stopped:
            return found, replace(self._snapshot, queue=(*self._snapshot.queue, request))
        return found, self._after.nearby(request)

    def _rehearsed(self, request: Request, found: Placement | Blocked, stage: Snapshot) -> Placement | Blocked:
        if self._someone_may_be_stopped:
            return turn_of(request.job, stage)[0]
        assert isinstance(found, Blocked)
        soon, late = starts(stage, request.job, stops=())
        return replace(found, soon=soon, late=late)

    def joined(self, job: Job) -> None:
        """The job was taken in: those after it find less room."""
        with self._lock:
            self._after.take(self._request(job))

    def _unborn(self, checked: Checked, now_ms: int) -> Job:
        job = unborn(checked, now_ms=now_ms, name=uuid7())
        known = self._projects.setdefault(checked.project.id, job)
        job.project = known.project  # read once
        return job

    def _request(self, job: Job) -> Request:
        """The job as the core sees it; code that runs for as long, and asks for the same, is read once."""
        code = job.organisation_id, job.profile_digest, job.mode, job.entry_digest
        key = *code, job.timeout_ms, json.dumps(job.demand, sort_keys=True)
        if key not in self._requests:
            self._requests[key] = request_of(job)
        return replace(
            self._requests[key],
            job=str(job.pk),
            submitted_ms=job.submitted_ms,
            team=str(job.project.team_id),
            policy=Policy(job.policy),
            priority=job.priority,
            deadline_ms=job.deadline_ms,
            cap_nano=job.cap_nano,
            grace_ms=job.grace_ms,
        )


_sights: WeakKeyDictionary[PriceQuotes, Sight] = WeakKeyDictionary()
_looking = Lock()


def sight_of(prices: PriceQuotes, *, now_ms: int) -> Sight:
    """The sight at these prices that may be shared now; one caller looks anew, the others need not wait for it."""
    known = _sights.get(prices)
    if known is not None and known.is_fresh(now_ms):
        return known
    must_wait = known is None or not known.is_fresh(now_ms, patience=PATIENCE)
    if not _looking.acquire(blocking=must_wait) and known is not None:
        return known
    try:
        return _newest(prices, known, now_ms)
    finally:
        _looking.release()


def _newest(prices: PriceQuotes, known: Sight | None, now_ms: int) -> Sight:
    """Whoever waited may find that another has looked meanwhile."""
    newest = _sights.get(prices)
    if newest is None or newest is known:
        newest = _sights[prices] = Sight(build_snapshot(prices=prices, now_ms=now_ms))
    return newest
