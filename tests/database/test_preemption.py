"""A more important job gets its room, and the one that made it runs again."""

from itertools import pairwise
from pathlib import Path

import pytest

from scheduling.crater.preempt import LIMIT
from scheduling.executors.fake import Script
from scheduling.models import Allocation, Job
from tests.stage import Stage, attempts, low_and_high, of_rank, state
from tests.world import reserved_cores


@pytest.fixture
def stage(tmp_path: Path) -> Stage:
    return Stage(tmp_path)


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
