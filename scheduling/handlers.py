"""What scheduling does when it hears a fact: database work and wake-ups, nothing else."""

from django.db import transaction

from alldata.kernel.events import AttemptMoved, CapacityChanged, JobMoved, JobSubmitted, KnowledgeChanged
from alldata.outbox.subscribers import subscribe
from scheduling.lifecycle import AttemptState, JobState
from scheduling.services import waking
from scheduling.services.inventory import derive_again
from scheduling.services.pipelines import start_pipeline


@subscribe(JobSubmitted)
def plan_new_job(event: JobSubmitted, now_ms: int) -> None:
    """A job joined the queue."""
    transaction.on_commit(waking.wake_planner)


@subscribe(CapacityChanged)
def plan_on_capacity(event: CapacityChanged, now_ms: int) -> None:
    """Supply appeared or was freed."""
    transaction.on_commit(waking.wake_planner)


@subscribe(KnowledgeChanged)
def derive_on_knowledge(event: KnowledgeChanged, now_ms: int) -> None:
    """More is known of hardware, or less: capabilities follow."""
    derive_again(now_ms=now_ms)


#: Whoever places a job wakes the driver at once (services/bulk.py, services/holds.py); nobody else waits for that.
FOLLOWED = frozenset(JobState) - {JobState.ADMITTED}


@subscribe(JobMoved, when={"to": FOLLOWED})
def follow_job(event: JobMoved, now_ms: int) -> None:
    """Requeued jobs are planned; a success may start a pipeline."""
    if event.to == JobState.QUEUED:
        transaction.on_commit(waking.wake_planner)
    if event.to == JobState.SUCCEEDED:
        start_pipeline(job_id=event.job_id, now_ms=now_ms)
    transaction.on_commit(waking.wake_pipelines)


@subscribe(AttemptMoved)
def follow_attempt(event: AttemptMoved, now_ms: int) -> None:
    """A server that runs may be ready; a finished process has files to collect."""
    if event.to == AttemptState.RUNNING:
        transaction.on_commit(waking.wake_pipelines)
