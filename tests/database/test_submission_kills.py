"""kill -9 between setting money aside and the end of a submission: neither the money nor the job is left."""

import os
import subprocess
import sys

import pytest
from django.db import connection

from alldata.outbox.models import OutboxEvent
from alldata.tenancy.models import AuditEntry
from costing.models import Reservation, SetAside
from scheduling.models import Job
from tests.database.test_budget_gate import HIGH, limit, set_aside
from tests.database.test_commit_races import held, is_waiting, until
from tests.database.test_kills import url_of_the_test_database
from tests.world import home, machine, submitted


def _money_is_locked() -> bool:
    """Whether another session is past setting aside: it holds the budgets' lock and waits for something else."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND granted")
        return bool(cursor.fetchone()[0]) and is_waiting()


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(
    "statement",
    [
        "SELECT 1 FROM tenancy_organisation FOR UPDATE",  # money is set aside, there is no job yet
        "LOCK TABLE tenancy_auditentry IN SHARE MODE",  # money and job are written, nothing is committed
    ],
)
def test_a_killed_submission_leaves_neither_job_nor_money(statement: str) -> None:
    machine()
    viewer = home()
    limit(viewer, HIGH)  # for one job: what was left of a first would refuse the second
    env = os.environ | {"DATABASE_URL": url_of_the_test_database(), "DJANGO_SETTINGS_MODULE": "alldata.settings"}
    worker = subprocess.Popen([sys.executable, "-m", "tests.inside.submitting"], env=env, stdout=subprocess.PIPE)
    assert worker.stdout is not None and worker.stdout.readline() == b"begun\n"
    with held(statement):
        until(_money_is_locked)
        worker.kill()
        worker.communicate()
    until(lambda: not _money_is_locked())
    assert not Reservation.objects.exists() and not SetAside.objects.exists() and not Job.objects.exists()
    assert submitted(viewer, request_id="killed").number == 1
    assert set_aside() == [HIGH] and OutboxEvent.objects.filter(name="job.submitted").count() == 1
    assert AuditEntry.objects.filter(action="job.submit").count() == 1
