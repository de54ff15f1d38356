"""What the planner is told of what runs: until when, what leaves, and what is still given back."""

from pathlib import Path

import pytest

from scheduling.crater.model import Running
from scheduling.models import Attempt
from scheduling.services.cancellation import cancel_job
from scheduling.standing import bound_ms, running_now
from tests.stage import GRACE_S, Stage, of_rank
from tests.world import NOW


@pytest.fixture
def stage(tmp_path: Path) -> Stage:
    return Stage(tmp_path)


def only(stage: Stage) -> Running:
    (found,) = running_now(now_ms=stage.now_ms)
    return found


@pytest.mark.parametrize(("now", "until"), [(0, 10), (9, 10), (10, 20), (39, 40), (75, 80), (85, 100), (120, 100)])
def test_an_overrun_bound_doubles_up_to_the_limit(now: int, until: int) -> None:
    assert bound_ms(0, 10, 100, now) == until


def test_what_runs_has_its_place_and_its_end(stage: Stage) -> None:
    stage.submit("a", 3, 20)
    stage.run(2)
    one = only(stage)
    assert (one.node, one.picks[0].cpus, one.leaving) == ("worker-0", (0, 1, 2), False)
    assert one.ends_ms == NOW + (20 + GRACE_S) * 1000


def test_what_was_told_to_stop_is_leaving_and_stopped_no_more(stage: Stage) -> None:
    job = stage.submit("a", 3, 20, of_rank(-10))
    stage.run(2)
    assert only(stage).preemptible
    cancel_job(stage.viewer, f"J-{job.number}", now_ms=stage.now_ms)
    assert (only(stage).leaving, only(stage).preemptible) == (True, False)


def test_warm_room_is_on_its_way_back(stage: Stage) -> None:
    job = stage.submit("a", 3, 1)
    stage.run(2)
    one = only(stage)
    assert one.leaving and one.job != str(job.pk)
    assert {name: amount for pick in one.picks for name, amount in pick.amounts.items()} == {"cpu_millicores": 3000}
    stage.run(3)
    assert running_now(now_ms=stage.now_ms) == ()


def test_work_that_was_saved_is_counted_only_where_it_can_be_lost(stage: Stage) -> None:
    for name, rank in (("low", -10), ("plain", 0)):
        stage.submit(name, 1, 60, of_rank(rank))
    stage.run(2)
    Attempt.objects.update(progress={"saved_ms": NOW + 1500})
    assert sorted(job.saved_ms - NOW for job in running_now(now_ms=stage.now_ms)) == [0, 1500]
