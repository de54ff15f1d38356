"""Of any number of racing movers exactly one wins, and each win leaves one fact."""

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import pytest
from django.db import connection

from alldata.outbox.models import OutboxEvent
from alldata.tenancy.viewer import Viewer
from scheduling.errors import IllegalMove
from scheduling.lifecycle import JobState
from scheduling.models import Job
from scheduling.services.moves import move_job
from tests.world import NOW, home, submitted

RACERS = 8
pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def viewer() -> Viewer:
    return home()


def _race(job: Job, targets: list[JobState]) -> list[bool]:
    """Start one mover a target at the same instant; who won?"""
    barrier = Barrier(len(targets))

    def run(to: JobState) -> bool:
        try:
            barrier.wait()
            move_job(job, to, now_ms=NOW + 1)
            return True
        except IllegalMove:
            return False
        finally:
            connection.close()

    with ThreadPoolExecutor(len(targets)) as pool:
        return list(pool.map(run, targets))


@pytest.mark.parametrize("repeat", range(5))
def test_one_of_eight_racing_movers_wins(viewer: Viewer, repeat: int) -> None:
    job = Job.objects.get(pk=submitted(viewer).id)
    assert sum(_race(job, [JobState.ADMITTED] * RACERS)) == 1
    facts = OutboxEvent.objects.filter(name="job.moved", fields__job_id=str(job.pk))
    assert [fact.fields["to"] for fact in facts] == ["admitted"]


def test_racing_ends_agree_on_one_end(viewer: Viewer) -> None:
    job = Job.objects.get(pk=submitted(viewer).id)
    ends = [JobState.CANCELLED, JobState.FAILED, JobState.OVER_BUDGET] * 2
    won = _race(job, ends)
    job.refresh_from_db()
    assert [end for end, mine in zip(ends, won, strict=True) if mine] == [job.state]


def test_a_refused_move_writes_no_fact(viewer: Viewer) -> None:
    job = Job.objects.get(pk=submitted(viewer).id)
    before = OutboxEvent.objects.count()
    with pytest.raises(IllegalMove):
        move_job(job, JobState.SUCCEEDED, now_ms=NOW)
    assert OutboxEvent.objects.count() == before
