"""A more important job gets its room, the one that made it runs again, and a kill in between changes nothing."""

from itertools import pairwise
from pathlib import Path

import pytest
from django.db.models import Sum

from scheduling.crater.preempt import LIMIT
from scheduling.executors.fake import Script
from scheduling.lifecycle import PREEMPTED
from scheduling.models import Allocation, Attempt, Decision, Job
from scheduling.selectors.jobs import job_view
from scheduling.services.cancellation import cancel_job
from scheduling.services.execution import drive
from scheduling.services.finishing import finish
from scheduling.services.placement import place_waiting
from tests.stage import Stage, of_rank
from tests.world import FlatRates, reserved_cores


@pytest.fixture
def stage(tmp_path: Path) -> Stage:
    return Stage(tmp_path)


def attempts(job: Job) -> list[tuple[str, str]]:
    return list(job.attempts.order_by("ordinal").values_list("state", "reason"))


def state(job: Job) -> str:
    job.refresh_from_db()
    return job.state


def low_and_high(stage: Stage, *, low_s: int = 30) -> tuple[Job, Job]:
    low = stage.submit("low", 4, low_s, of_rank(-10))
    stage.run(5)
    return low, stage.submit("high", 3, 10, of_rank(10))


def test_the_more_important_job_starts_and_the_other_runs_again(stage: Stage) -> None:
    low, high = low_and_high(stage)
    stage.run(4)
    assert (state(high), state(low)) == ("active", "queued")
    stage.run(50)
    assert (state(high), state(low)) == ("succeeded", "succeeded")
    assert (attempts(high), attempts(low)) == ([("succeeded", "")], [("preempted", "preempted"), ("succeeded", "")])


def test_each_attempt_is_charged_for_its_own_time_once(stage: Stage) -> None:
    low, high = low_and_high(stage)
    stage.run(60)
    held = Allocation.objects.filter(dimension="cpu_millicores").order_by("start_ms")
    spans = [(row.attempt.job_id, row.start_ms, row.end_ms or 0) for row in held.select_related("attempt")]
    assert [job for job, _, _ in spans] == [low.pk, high.pk, low.pk]
    assert all(end <= start for (_, _, end), (_, start, _) in pairwise(spans))
    assert reserved_cores() == 0


def test_nobody_is_stopped_for_an_equal_or_against_his_will(stage: Stage) -> None:
    low = stage.submit("low", 4, 30, of_rank(0, preemptible=False))
    stage.run(3)
    stage.submit("high", 4, 10, of_rank(20))
    stage.run(5)
    assert state(low) == "active"


def test_its_own_room_is_kept_from_those_who_come_earlier_in_the_queue(stage: Stage) -> None:
    low, high = low_and_high(stage)
    stage.run(1)
    hurried = stage.submit("hurried", 4, 10, of_rank(0))
    Job.objects.filter(pk=hurried.pk).update(policy="deadline_aware", deadline_ms=stage.now_ms + 15_000)
    stage.run(3)
    assert (state(high), state(hurried), state(low)) == ("active", "queued", "queued")


def test_more_important_jobs_one_after_the_other_stop_it_at_most_so_often(stage: Stage) -> None:
    low = stage.submit("low", 4, 1000, of_rank(-10))
    for _ in range(LIMIT + 2):
        stage.run(4)
        stage.submit("high", 4, 2, of_rank(10))
        stage.run(8)
    low.refresh_from_db()
    assert (low.state, low.preemptions) == ("active", LIMIT)
    assert [to for to, _ in attempts(low)] == ["preempted"] * LIMIT + ["running"]


def test_a_stopped_attempt_uses_up_no_try(stage: Stage) -> None:
    stage.scripts[3] = Script(vanishes=True)
    low, _ = low_and_high(stage)
    Job.objects.filter(pk=low.pk).update(max_attempts=2)
    stage.run(70)
    assert [to for to, _ in attempts(low)] == ["preempted", "lost", "succeeded"]


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
