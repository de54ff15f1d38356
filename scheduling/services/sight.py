"""What a new job can expect, without playing a whole round for each submission.

A Sight is one look at the cluster, its queue and the past of its users, shared by the submissions of the next moments:
the longer a look takes the longer it is shared, so looking never takes more than a small part of a process's time.
What joins the queue meanwhile through this process is taken along. A sight only foretells: placements are decided in
services/placement.py on fresh rows, and nothing is refused on the word of a sight (services/submission.py).
"""

import json
from dataclasses import replace
from threading import Lock, RLock
from uuid import UUID
from weakref import WeakKeyDictionary

from alldata.kernel.ids import uuid7
from alldata.kernel.intervals import HOUR_MS
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
KEEP_MS, KEEP_A_NODE_MS, KEEP_A_JOB_MS = 250, 5, 2
#: Who would have to wait for a new sight goes on with an older one, up to this many times as long.
PATIENCE = 2
#: Jobs whose deadlines are this near to one another wait alike.
ALIKE_MS = HOUR_MS // 4


class Sight:
    """One look; see the module. Its planner is shared by threads, hence the lock."""

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
        self._lock = RLock()

    def is_fresh(self, now_ms: int, *, patience: int = 1) -> bool:
        """Whether it may still be shared."""
        return 0 <= now_ms - self.now_ms < self.keep_ms * patience

    def forecast(self, checked: Checked, *, now_ms: int) -> tuple[Job, PreCheck]:
        """The job as it would be stored, and what it can expect."""
        with self._lock:
            job = self._unborn(checked, now_ms)
            return job, self._foretold(job, now_ms)

    def _foretold(self, job: Job, now_ms: int) -> PreCheck:
        request = self._request(job)
        view = View(now_ms, self._scene, self._evidence)
        found = self._after.place(request) or self._turn(request)
        return free_now(found, job, view) if isinstance(found, Placement) else free_later(found, job, view)

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

    def _turn(self, request: Request) -> Placement | Blocked:
        """Equal requests wait for the same, and about as long when their turns are near one another."""
        deadline = None if request.deadline_ms is None else request.deadline_ms // ALIKE_MS
        kind = self._after.planner.kind(request)
        key = kind, request.policy, request.priority, request.team, request.runtime, deadline
        if key not in self._turns:
            if self._someone_may_be_stopped:
                everyone = replace(self._snapshot, queue=(*self._snapshot.queue, request))
                self._turns[key] = turn_of(request.job, everyone)[0]
            else:
                self._turns[key] = self._blocked(request)
        return self._turns[key]

    def _blocked(self, request: Request) -> Blocked:
        refusal = self._after.refusal(request)
        slips = unit_slips(request.needs, self._snapshot.nodes)
        if not refusal.possible:
            return Blocked(refusal, slips)
        return Blocked(refusal, slips, *starts(self._after.nearby(request), request.job, stops=()))


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
