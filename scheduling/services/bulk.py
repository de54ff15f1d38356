"""Commit placements in batches: one round trip a batch, whole or not at all, while the next one is made.

One lock, one statement (statements.py), which ends its transaction. When any row of a batch refuses - a job moved on,
room is gone, a core is held, an answer makes no sense - everything is undone and the halves are
tried, so of a plan with one bad placement all others stand and the bad one is left as a conflict.
"""

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from django.db import DataError, IntegrityError, connection, transaction

from alldata.kernel.events import JobMoved
from alldata.outbox.publish import wake_after_commit
from alldata.outbox.subscribers import receivers
from alldata.outbox.wake import once_each
from scheduling.crater.model import Placement
from scheduling.lifecycle import JobState
from scheduling.models import Job, PlannerInput
from scheduling.services.aside import Aside, Words
from scheduling.services.locks import LockKey, locking
from scheduling.services.recording import as_text, strict_text
from scheduling.services.statements import AS_BEFORE, BY_INDEX, COMMIT, CONFLICTS
from scheduling.services.waking import wake_driver

SENT = BY_INDEX + locking(LockKey.PLANNER) + COMMIT.call(5) + AS_BEFORE
#: Placements a transaction: more saves little and holds the lock longer.
BATCH = 100


def commit_all(placements: Iterable[Placement], *, seen: PlannerInput, now_ms: int, size: int = BATCH) -> int:
    """How many placements stand now; each of the others is recorded as conflicted.

    They may be made one by one, without the database: each batch is committed while the next is made, and what
    was made before an error stands.
    """
    with once_each(), Aside() as aside:
        line = _Line(aside, seen, now_ms, *_fact(now_ms))
        try:
            for batch in _batches(placements, size):
                line.take(batch)
        finally:
            line.settle()
    return line.placed


def commit_batch(placements: Sequence[Placement], *, seen: PlannerInput, now_ms: int) -> bool:
    """True when every placement was committed; False when none was."""
    with Aside() as aside:
        return _Line(aside, seen, now_ms, *_fact(now_ms)).holds(placements)


def _batches(placements: Iterable[Placement], size: int) -> Iterator[list[Placement]]:
    rest = iter(placements)
    while batch := list(islice(rest, size)):
        yield batch


@dataclass(slots=True)
class _Line:
    """The batch that is under way, and how many placements stand."""

    aside: Aside
    seen: PlannerInput
    now_ms: int
    fact: str
    owed: Sequence[str]
    placed: int = 0
    under_way: Sequence[Placement] = ()

    def take(self, batch: Sequence[Placement]) -> None:
        """Send the batch when the one before it is settled."""
        words = self._words(batch)
        self.settle()
        COMMIT.plan()
        self.aside.start(SENT, words)
        self.under_way = batch

    def settle(self) -> None:
        """See what became of the batch that is under way; of a refused one the placements that can stand do."""
        batch, self.under_way = self.under_way, ()
        if batch:
            self.placed += len(batch) if self._agreed(self.aside.end) else self._stand(batch)

    def holds(self, batch: Sequence[Placement]) -> bool:
        """Commit the batch now. False when it refused."""
        words = self._words(batch)
        COMMIT.plan()
        return self._agreed(lambda: self.aside.run(SENT, words))

    def _words(self, batch: Sequence[Placement]) -> Words:
        return as_text(batch), self.now_ms, str(self.seen.pk), self.fact, self.owed

    def _agreed(self, ends: Callable[[], None]) -> bool:
        """Whether every row agreed; then those who act on it are woken."""
        try:
            ends()
        except (IntegrityError, DataError):
            return False
        transaction.on_commit(wake_driver, robust=True)
        if self.owed:
            wake_after_commit()
        return True

    def _stand(self, batch: Sequence[Placement]) -> int:
        """How many of a batch that refused. Jobs that moved on are found at once (another planner was faster)."""
        rows = Job.objects.filter(pk__in=[p.job for p in batch], state=JobState.QUEUED, stop_requested="")
        queued = {str(pk) for pk in rows.values_list("pk", flat=True)}
        note_conflicts([p for p in batch if p.job not in queued], seen=self.seen, now_ms=self.now_ms)
        return self._by_halves([p for p in batch if p.job in queued])

    def _by_halves(self, batch: Sequence[Placement]) -> int:
        if not batch or self.holds(batch):
            return len(batch)
        if len(batch) == 1:
            note_conflicts(batch, seen=self.seen, now_ms=self.now_ms)
            return 0
        middle = len(batch) // 2
        return sum(self._by_halves(half) for half in (batch[:middle], batch[middle:]))


def note_conflicts(placements: Sequence[Placement], *, seen: PlannerInput, now_ms: int) -> None:
    """One decision each; a conflict equal to the job's latest decision is not repeated."""
    if placements:
        answers = f"[{','.join(_storable(placement) for placement in placements)}]"
        with connection.cursor() as cursor:
            cursor.execute(CONFLICTS, {"answers": answers, "now": now_ms, "seen": str(seen.pk)})


def _fact(now_ms: int) -> tuple[str, list[str]]:
    """What is told of each placement, without its job and project, and who is owed it."""
    fields = JobMoved("", "", JobState.ADMITTED.value, now_ms).as_json()
    known = {name: value for name, value in fields.items() if name not in ("job_id", "project_id")}
    return json.dumps({"name": JobMoved.name, "fields": known}), receivers(JobMoved, known)


def _storable(placement: Placement) -> str:
    return strict_text(placement, instead={"job": placement.job, "node": placement.node, "unstorable": True})
