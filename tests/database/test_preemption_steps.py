"""Whatever happens between the wish to stop a job and its next run: nothing is lost, nobody is stopped in vain."""

from pathlib import Path

import pytest
from django.db.models import Sum

from scheduling.lifecycle import PREEMPTED
from scheduling.models import Allocation, Attempt, Decision, Job
from scheduling.selectors.jobs import job_view
from scheduling.services.cancellation import cancel_job
from scheduling.services.execution import drive
from scheduling.services.finishing import finish
from scheduling.services.placement import place_waiting
from tests.stage import Stage, low_and_high, of_rank, state
from tests.world import FlatRates


@pytest.fixture
def stage(tmp_path: Path) -> Stage:
    return Stage(tmp_path)


@pytest.mark.parametrize("passes", [0, 1, 2])
def test_a_kill_between_the_stop_and_the_queue_loses_nothing(stage: Stage, passes: int) -> None:
    low, high = low_and_high(stage)
    place_waiting(prices=FlatRates(), now_ms=stage.now_ms)
    low.refresh_from_db()
    assert (low.stop_requested, low.state) == (PREEMPTED, "active")
    for _ in range(passes):
        drive(stage.ports, now_ms=stage.now_ms)
    stage.run(60)  # whoever comes next finds rows alone
    assert (state(high), state(low), low.preemptions) == ("succeeded", "succeeded", 1)


def test_a_second_round_stops_nobody_else_for_room_that_is_coming(stage: Stage) -> None:
    for number in range(4):
        stage.submit(f"low {number}", 1, 60, of_rank(-10))
    stage.run(3)
    stage.submit("high", 2, 10, of_rank(10))
    for _ in range(5):
        place_waiting(prices=FlatRates(), now_ms=stage.now_ms)
    assert Job.objects.filter(stop_requested=PREEMPTED).count() == 2


def test_who_cancels_while_it_is_stopped_has_the_last_word(stage: Stage) -> None:
    low, _ = low_and_high(stage)
    place_waiting(prices=FlatRates(), now_ms=stage.now_ms)
    drive(stage.ports, now_ms=stage.now_ms)
    drive(stage.ports, now_ms=stage.now_ms)
    attempt = Attempt.objects.select_related("job", "node").get(job=low)
    cancel_job(stage.viewer, f"J-{low.number}", now_ms=stage.now_ms)
    finish(stage.ports, stage.engine, attempt, now_ms=stage.now_ms)
    low.refresh_from_db()
    assert (low.state, low.reason) == ("cancelled", "cancelled")


def test_by_whom_and_what_was_lost_is_written_down(stage: Stage) -> None:
    low, high = low_and_high(stage)
    stage.run(1)
    facts = Decision.objects.get(outcome=PREEMPTED).answer
    assert (facts["by"], facts["lost_ms"]) == (str(high.pk), 5000)
    told = [e.facts for e in job_view(stage.viewer, f"J-{low.number}").events if e.name == "decision.preempted"]
    assert told[0]["by"] == f"J-{high.number}"


def test_what_is_promised_never_exceeds_what_there_is(stage: Stage) -> None:
    low_and_high(stage)

    def look() -> None:
        held = Allocation.objects.filter(dimension="cpu_millicores").exclude(state="released")
        assert (held.aggregate(n=Sum("amount"))["n"] or 0) <= 4000

    stage.run(60, look)
