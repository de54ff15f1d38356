"""What models declare is in the database: a migration may lose an index without a word."""

import pytest
from django.apps import apps
from django.db import IntegrityError, connection, models, transaction

from scheduling.models import Attempt
from scheduling.services.placement import place_waiting
from scheduling.services.statements import BY_INDEX, COMMIT
from tests.world import NOW, FlatRates, home, machine, submitted

OWN = [model for model in apps.get_models() if not model.__module__.startswith("django.")]


@pytest.mark.parametrize("model", OWN, ids=lambda model: model._meta.label)
def test_every_index_and_constraint_is_there(model: type[models.Model]) -> None:
    declared = {one.name for one in (*model._meta.indexes, *model._meta.constraints)}
    with connection.cursor() as cursor:
        there = connection.introspection.get_constraints(cursor, model._meta.db_table)
    assert declared <= there.keys()


def test_a_job_runs_once_at_a_time_whatever_the_code_does() -> None:
    home()
    machine()
    submitted(home())
    place_waiting(prices=FlatRates(), now_ms=NOW)
    again = Attempt.objects.get()
    again.pk, again.ordinal = None, 2
    with pytest.raises(IntegrityError, match="one_live_attempt_per_member"), transaction.atomic():
        again.save(force_insert=True)


def test_a_commit_reads_no_table_whole_whatever_is_known_of_them() -> None:
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE scheduling_job, scheduling_attempt, scheduling_allocation, scheduling_decision")
        COMMIT.plan()
        cursor.execute(f"{BY_INDEX}EXPLAIN {COMMIT.call(5)}", ("[]", NOW, None, "{}", []))
        lines = [line for (line,) in cursor.fetchall()]
    assert any("Index Scan" in line for line in lines)
    assert not [line for line in lines if "Seq Scan on scheduling" in line]
