"""What a submission is told comes from a look that many share: how long, how far, and what it never decides."""

import pytest

from alldata.tenancy.viewer import Viewer
from scheduling.models import Attempt, Job
from scheduling.ports import PriceQuotes
from scheduling.services.answer import PreCheck
from scheduling.services.checking import check
from scheduling.services.commands import Sla
from scheduling.services.placement import place_waiting
from scheduling.services.precheck import forecast
from scheduling.services.sight import sight_of
from scheduling.services.submission import submit_job
from tests.past import ran
from tests.world import NOW, FlatRates, command, home, machine, submitted

MINUTE = 60_000
HARD = Sla(deadline_ms=NOW + 10 * MINUTE, deadline_policy="hard")


@pytest.fixture
def viewer() -> Viewer:
    machine()
    return home()


class AnyMoney:
    """A gate that lets everything in."""

    def reserve(self, viewer: Viewer, spend: object, *, now_ms: int) -> None:
        return None

    def shortage(self, viewer: Viewer, spend: object, *, now_ms: int) -> None:
        return None


def said(viewer: Viewer, prices: PriceQuotes) -> tuple[PreCheck, PreCheck]:
    """The same question to a sight and to the planner itself."""
    checked = check(viewer, command(), now_ms=NOW)
    seen = sight_of(prices, now_ms=NOW).forecast(checked, now_ms=NOW)[1]
    return seen, forecast(checked, prices=prices, now_ms=NOW)


def test_it_is_shared_for_a_while_and_only_at_the_same_prices() -> None:
    prices, others = FlatRates(), FlatRates()
    first = sight_of(prices, now_ms=NOW)
    assert sight_of(prices, now_ms=NOW + first.keep_ms - 1) is first
    assert sight_of(others, now_ms=NOW) is not first
    assert sight_of(prices, now_ms=NOW + first.keep_ms) is not first
    assert sight_of(prices, now_ms=NOW - 1).now_ms == NOW - 1


def test_it_says_what_the_planner_says_of_a_free_place(viewer: Viewer) -> None:
    seen, planned = said(viewer, FlatRates())
    assert planned.fits and seen.as_promise() == planned.as_promise()


def test_it_says_what_the_planner_says_of_one_that_waits(viewer: Viewer) -> None:
    for _ in range(2):
        submitted(viewer)
    place_waiting(prices=FlatRates(), now_ms=NOW)
    Attempt.objects.update(state="running", started_ms=NOW)
    seen, planned = said(viewer, FlatRates())
    assert not planned.fits and planned.starts_in_ms
    assert seen.as_promise() == planned.as_promise()


def test_those_who_come_later_find_less_room(viewer: Viewer) -> None:
    prices = FlatRates()
    told = [submit_job(viewer, command(), prices=prices, budgets=AnyMoney(), now_ms=NOW).promise for _ in range(3)]
    assert ["waits" in promise["warnings"] for promise in told] == [False, False, True]


def test_nothing_is_refused_on_the_word_of_an_old_look(viewer: Viewer) -> None:
    prices, like = FlatRates(), submitted(viewer)
    for age in range(1, 5):
        ran(like, 30 * MINUTE, age=age)
    checked = check(viewer, command(sla=HARD), now_ms=NOW)
    assert sight_of(prices, now_ms=NOW).forecast(checked, now_ms=NOW)[1].on_time == 0.0
    Attempt.objects.all().delete()
    Job.objects.filter(state="succeeded").delete()
    assert submit_job(viewer, command(sla=HARD), prices=prices, budgets=AnyMoney(), now_ms=NOW).state == "queued"
