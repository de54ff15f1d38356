"""Money is asked for before a job is taken in, once, and freed with its end."""

from functools import partial

import pytest

from alldata.kernel.intervals import DAY_MS
from alldata.outbox.relay import relay_batch
from alldata.tenancy.viewer import Viewer
from costing.errors import BudgetExhausted
from costing.models import Reservation
from costing.services.budgets import BudgetCommand, set_budget
from costing.services.gate import BudgetDesk
from scheduling.models import Job
from scheduling.services.cancellation import cancel_job
from scheduling.services.commands import Entry, Sla
from scheduling.services.precheck import precheck
from tests.racing import race
from tests.world import NOW, FlatRates, command, home, machine, submitted

#: The place costs 1,800,000 nano an hour; the first guess is 120 s, 480 s at the 90 % quantile.
LIKELY, HIGH = 60_000, 240_000


@pytest.fixture
def viewer() -> Viewer:
    machine()
    return home()


def limit(viewer: Viewer, nano: int) -> None:
    assert viewer.default_project_id is not None
    day = NOW // DAY_MS * DAY_MS
    set_budget(viewer, BudgetCommand("project", viewer.default_project_id, nano, day, day + DAY_MS), now_ms=NOW)


def set_aside() -> list[int]:
    return list(Reservation.objects.filter(settled_ms=None).values_list("reserved_nano", flat=True))


def test_what_a_job_may_come_to_is_set_aside(viewer: Viewer) -> None:
    row = submitted(viewer)
    assert Reservation.objects.get().job_id == row.id
    assert set_aside() == [HIGH]


def test_never_more_than_its_own_cap(viewer: Viewer) -> None:
    submitted(viewer, sla=Sla(cap_nano=LIKELY))
    assert set_aside() == [LIKELY]


def test_a_repeated_request_sets_nothing_more_aside(viewer: Viewer) -> None:
    limit(viewer, HIGH)
    first, again = (submitted(viewer, request_id="once") for _ in range(2))
    assert first.id == again.id and set_aside() == [HIGH]


def test_a_spent_budget_refuses_by_name_with_what_is_left(viewer: Viewer) -> None:
    limit(viewer, 2 * HIGH - 1)
    submitted(viewer)
    with pytest.raises(BudgetExhausted) as refusal:
        submitted(viewer)
    assert refusal.value.code == "budget_exhausted"
    facts = refusal.value.facts
    assert (facts["scope"], facts["left_nano"], facts["asked_nano"]) == ("project", str(HIGH - 1), str(HIGH))
    assert Job.objects.count() == 1


def test_a_smaller_cap_gets_in(viewer: Viewer) -> None:
    limit(viewer, HIGH + LIKELY)
    submitted(viewer)
    submitted(viewer, sla=Sla(cap_nano=LIKELY))
    assert sorted(set_aside()) == [LIKELY, HIGH]


def test_the_pre_check_warns_of_it(viewer: Viewer) -> None:
    limit(viewer, HIGH - 1)
    answer = precheck(viewer, command(), prices=FlatRates(), budgets=BudgetDesk(), now_ms=NOW)
    assert answer.shortage is not None and answer.shortage.left_nano == HIGH - 1
    assert "budget_short" in answer.warnings and set_aside() == []


def test_a_cancelled_job_that_held_nothing_frees_its_money_at_once(viewer: Viewer) -> None:
    limit(viewer, HIGH)
    row = submitted(viewer)
    cancel_job(viewer, row.reference, now_ms=NOW + 1)
    while relay_batch(now_ms=NOW + 1):
        continue
    assert set_aside() == []
    submitted(viewer)


def test_a_job_that_waits_is_asked_for_too(viewer: Viewer) -> None:
    limit(viewer, HIGH)
    submitted(viewer)
    with pytest.raises(BudgetExhausted):
        submitted(viewer, entry=Entry(command=("other",)))


@pytest.mark.django_db(transaction=True)
def test_two_submissions_never_both_take_the_last_of_it() -> None:
    machine()
    viewer = home()
    limit(viewer, HIGH + HIGH // 2)
    outcomes = race(*(partial(taken_in, viewer, f"racer-{n}") for n in range(3)))
    assert outcomes == ["budget_exhausted", "budget_exhausted", "queued"]
    assert set_aside() == [HIGH] and Job.objects.count() == 1


def taken_in(viewer: Viewer, name: str) -> str:
    return submitted(viewer, name=name).state
