"""Money is set aside once, refused beyond a limit, and freed when the job is settled."""

import pytest

from alldata.kernel.ids import uuid7
from alldata.kernel.intervals import DAY_MS, HOUR_MS, Interval
from alldata.tenancy.viewer import Viewer
from costing.errors import BadBudget, BudgetExhausted, FinanceOnly
from costing.models import Reservation
from costing.selectors.budgets import BudgetView, budgets_of
from costing.services.admission import Ask
from costing.services.budgets import BudgetCommand, reserve, set_budget, settle, settle_ended
from costing.services.days import sum_due_days
from costing.services.ledger import book_hour
from tests.fleet import AGENT, HBM, HOUR, LATER, attempt, gpu, holds, job, take, window
from tests.racing import race
from tests.world import home

DAY = HOUR // DAY_MS * DAY_MS
PERIOD = (DAY, DAY + 30 * DAY_MS)


@pytest.fixture
def viewer() -> Viewer:
    return home()


def limit(viewer: Viewer, nano: int, scope: str = "project") -> None:
    ids = {"project": viewer.default_project_id, "organisation": viewer.organisation_id}
    scope_id = ids[scope]
    assert scope_id is not None
    set_budget(viewer, BudgetCommand(scope, scope_id, nano, *PERIOD), now_ms=DAY)


def ask(viewer: Viewer, nano: int) -> Ask:
    assert viewer.default_project_id is not None
    return Ask(uuid7(), viewer.default_project_id, nano)


def only(viewer: Viewer) -> BudgetView:
    (found,) = budgets_of(viewer, now_ms=LATER)
    return found


def test_what_is_set_aside_counts_until_it_is_settled(viewer: Viewer) -> None:
    limit(viewer, 100)
    first = ask(viewer, 60)
    reserve(viewer, first, now_ms=LATER)
    reserve(viewer, first, now_ms=LATER)
    assert (only(viewer).reserved_nano, only(viewer).left_nano) == (60, 40)
    with pytest.raises(BudgetExhausted) as refusal:
        reserve(viewer, ask(viewer, 41), now_ms=LATER)
    assert refusal.value.facts["left_nano"] == "40"
    assert settle(first.job_id, now_ms=LATER) and not settle(first.job_id, now_ms=LATER)
    reserve(viewer, ask(viewer, 41), now_ms=LATER)


def test_the_organisation_binds_where_the_project_does_not(viewer: Viewer) -> None:
    limit(viewer, 1000)
    limit(viewer, 10, "organisation")
    with pytest.raises(BudgetExhausted) as refusal:
        reserve(viewer, ask(viewer, 11), now_ms=LATER)
    assert refusal.value.shortage.scope == "organisation"


def test_a_token_of_one_project_cannot_hide_what_others_spent(viewer: Viewer) -> None:
    limit(viewer, 100, "organisation")
    reserve(viewer, ask(viewer, 80), now_ms=LATER)
    assert viewer.default_project_id is not None
    confined = Viewer(viewer.organisation_id, 1, "t", frozenset([viewer.default_project_id]), frozenset({"member"}))
    with pytest.raises(BudgetExhausted):
        reserve(confined, ask(viewer, 21), now_ms=LATER)


def test_spend_burns_and_foretells(viewer: Viewer) -> None:
    device = gpu()
    assert viewer.default_project_id is not None
    row = job(viewer.default_project_id, viewer.organisation_id)
    holds(attempt(row, device), device, HBM, Interval(HOUR, HOUR + HOUR_MS))
    take(window(0, Interval(HOUR, HOUR + HOUR_MS), HBM * HOUR_MS))
    book_hour(AGENT, HOUR, now_ms=LATER)
    sum_due_days(now_ms=LATER + DAY_MS)
    limit(viewer, 30 * 24 * 7_500_000_000)
    found = only(viewer)
    assert (found.spent_nano, found.state) == (7_500_000_000, "ok")
    assert found.burn["24h"] == round(1 / 24, 3)
    assert found.forecast_nano > found.spent_nano
    reserve(viewer, Ask(row.id, viewer.default_project_id, 10**10), now_ms=LATER)
    assert only(viewer).reserved_nano == 10**10 - 7_500_000_000
    assert settle_ended(now_ms=LATER + DAY_MS) == 1
    assert Reservation.objects.get().settled_nano == 7_500_000_000


@pytest.mark.parametrize(
    ("where", "command"),
    [
        ("scope", BudgetCommand("planet", uuid7(), 1, *PERIOD)),
        ("scope_id", BudgetCommand("project", uuid7(), 1, *PERIOD)),
        ("limit", BudgetCommand("organisation", uuid7(), -1, *PERIOD)),
        ("start_timestamp", BudgetCommand("organisation", uuid7(), 1, DAY + 1, PERIOD[1])),
    ],
)
def test_a_bad_budget_is_refused_by_field(viewer: Viewer, where: str, command: BudgetCommand) -> None:
    with pytest.raises(BadBudget) as refusal:
        set_budget(viewer, command, now_ms=DAY)
    assert refusal.value.field == where


def test_members_set_no_budgets(viewer: Viewer) -> None:
    member = Viewer(viewer.organisation_id, 1, "m", viewer.project_ids, frozenset({"member"}))
    with pytest.raises(FinanceOnly):
        set_budget(member, BudgetCommand("organisation", viewer.organisation_id, 1, *PERIOD), now_ms=DAY)


@pytest.mark.django_db(transaction=True)
def test_two_jobs_cannot_both_take_the_last_of_it() -> None:
    viewer = home()
    limit(viewer, 100)
    outcomes = race(*[lambda: reserve(viewer, ask(viewer, 60), now_ms=LATER)] * 4)
    assert outcomes == ["None", "budget_exhausted", "budget_exhausted", "budget_exhausted"]
