"""Setting money aside by an upper bound decides as the exact count does, whatever was reserved and settled before."""

import random

import pytest
from django.db.models import Sum

from alldata.kernel.ids import uuid7
from alldata.kernel.intervals import DAY_MS
from alldata.tenancy.viewer import Viewer
from costing.errors import BudgetExhausted
from costing.models import PriceVersion, Reservation, SetAside, SpendDay
from costing.services.admission import Ask
from costing.services.books import ensure_price_book
from costing.services.budgets import BudgetCommand, reserve, set_budget, settle, shortage
from tests.world import NOW, home

DAY = NOW // DAY_MS * DAY_MS


@pytest.fixture
def viewer() -> Viewer:
    return home()


def limit(viewer: Viewer, nano: int, scope: str = "project") -> None:
    scope_id = viewer.default_project_id if scope == "project" else viewer.organisation_id
    assert scope_id is not None
    set_budget(viewer, BudgetCommand(scope, scope_id, nano, DAY, DAY + DAY_MS), now_ms=NOW)


def ask(viewer: Viewer, nano: int) -> Ask:
    assert viewer.default_project_id is not None
    return Ask(uuid7(), viewer.default_project_id, nano)


def bound_holds() -> bool:
    """No project's open reservations come to more than is said of them."""
    still = Reservation.objects.filter(settled_ms=None).values_list("project_id")
    bounds = dict(SetAside.objects.values_list("project_id", "nano"))
    return all(nano <= bounds[project] for project, nano in still.annotate(nano=Sum("reserved_nano")))


@pytest.mark.parametrize("seed", range(3))
def test_it_refuses_exactly_what_the_full_count_refuses(viewer: Viewer, seed: int) -> None:
    limit(viewer, 100)
    limit(viewer, 130, "organisation")
    rng, admitted = random.Random(seed), list[Ask]()
    for _ in range(40):
        one = ask(viewer, rng.randrange(40))
        expected = shortage(viewer, one, now_ms=NOW)
        try:
            reserve(viewer, one, now_ms=NOW)
            assert expected is None
            admitted.append(one)
        except BudgetExhausted:
            assert expected is not None
        if admitted and rng.random() < 0.5:
            settle(admitted.pop(rng.randrange(len(admitted))).job_id, now_ms=NOW)
        assert bound_holds()


def test_a_bound_that_bites_for_nothing_is_set_right(viewer: Viewer) -> None:
    limit(viewer, 100)
    for _ in range(5):
        one = ask(viewer, 60)
        reserve(viewer, one, now_ms=NOW)
        settle(one.job_id, now_ms=NOW)
    assert SetAside.objects.get().nano == 60


def test_what_was_charged_counts(viewer: Viewer) -> None:
    limit(viewer, 100)
    ensure_price_book(now_ms=NOW)
    told = {"dimension": "gpu_sm", "bucket": "used", "price_version": PriceVersion.objects.get(), "q": 1, "nano": 50}
    SpendDay.objects.create(project_id=viewer.default_project_id, day_ms=DAY, charged_nano=50, **told)
    reserve(viewer, ask(viewer, 50), now_ms=NOW)
    with pytest.raises(BudgetExhausted):
        reserve(viewer, ask(viewer, 1), now_ms=NOW)


def test_a_reservation_that_grows_is_counted(viewer: Viewer) -> None:
    limit(viewer, 100)
    first = ask(viewer, 10)
    reserve(viewer, first, now_ms=NOW)
    reserve(viewer, Ask(first.job_id, first.project_id, 30), now_ms=NOW)
    assert SetAside.objects.get().nano == 30 and bound_holds()


def test_another_organisations_projects_do_not_count(viewer: Viewer) -> None:
    limit(viewer, 100, "organisation")
    SetAside.objects.create(project_id=uuid7(), nano=10**9)
    reserve(viewer, ask(viewer, 100), now_ms=NOW)
