"""The live scheduler plays whole rounds: who waits for whom, and what it is told."""

from pathlib import Path

import pytest
from django.contrib.auth.models import User

from alldata.tenancy.models import Project, Team
from alldata.tenancy.selectors import viewer_of_user
from scheduling.crater.schedule import schedule
from scheduling.models import Decision, Job, PlannerInput
from scheduling.selectors.jobs import job_row, job_view
from scheduling.services.commands import Sla
from scheduling.services.recording import as_plain
from scheduling.services.replay import recorded
from tests.stage import GRACE_S, Stage
from tests.world import NOW


@pytest.fixture
def stage(tmp_path: Path) -> Stage:
    return Stage(tmp_path)


@pytest.fixture
def larger(tmp_path: Path) -> Stage:
    return Stage(tmp_path, cores=6)


def second_of_start(job: Job) -> int | None:
    job.refresh_from_db()
    return None if job.started_ms is None else (job.started_ms - NOW) // 1000


def test_a_short_job_overtakes_the_head_and_a_long_one_does_not(stage: Stage) -> None:
    stage.submit("old", 3, 20)
    stage.run(1)
    head, long, short = (stage.submit("head", 4, 5), stage.submit("long", 1, 60), stage.submit("short", 1, 10))
    stage.run(30)
    assert second_of_start(short) == 1
    assert second_of_start(head) == 20 + GRACE_S
    long_start = second_of_start(long)
    assert long_start is not None and long_start > 21


@pytest.mark.parametrize("others", [0, 6])
def test_the_head_starts_when_it_would_start_alone(stage: Stage, others: int) -> None:
    stage.submit("old", 2, 12)
    stage.run(1)
    head = stage.submit("head", 4, 5)
    for number in range(others):
        stage.submit(f"other {number}", 1 + number % 2, 4 + 3 * number)
    stage.run(16)
    assert second_of_start(head) == 12 + GRACE_S


def test_who_is_held_back_is_told_for_whom_and_until_when(stage: Stage) -> None:
    stage.submit("old", 3, 20)
    stage.run(1)
    head, long = stage.submit("head", 4, 5), stage.submit("long", 1, 60)
    stage.run(1)
    certain_ms = NOW + (20 + GRACE_S) * 1000
    waits, held = (job_row(stage.viewer, f"J-{job.number}") for job in (head, long))
    assert (waits.reason, waits.reason_facts["start_ms"]) == ("waiting_free", certain_ms)
    facts = {"possible": True, "head": f"J-{head.number}", "start_ms": certain_ms}
    assert (held.reason, held.reason_facts) == ("waiting_backfill", facts)


def other_team(*, weight: int = 1) -> Project:
    organisation = Team.objects.get().organisation
    team = Team.objects.create(organisation=organisation, slug="speech", name="Speech", weight=weight)
    return Project.objects.create(team=team, slug="asr", name="asr")


def test_a_head_that_the_reader_may_not_see_is_not_named(stage: Stage) -> None:
    mine = stage.viewer
    other = other_team()
    stage.viewer = viewer_of_user(User.objects.get())
    stage.submit("old", 3, 20)
    stage.run(1)
    stage.submit("head", 4, 5, project=other.id)
    long = stage.submit("long", 1, 60)
    stage.run(1)
    assert "head" not in job_row(mine, f"J-{long.number}").reason_facts
    assert "head" in job_row(stage.viewer, f"J-{long.number}").reason_facts


def test_a_team_of_weight_two_holds_twice_as_much(larger: Stage) -> None:
    stage, other = larger, other_team(weight=2)
    stage.viewer = viewer_of_user(User.objects.get())
    fair = Sla(policy="fair_share")
    for number in range(6):
        stage.submit(f"light {number}", 1, 30, fair)
        stage.submit(f"heavy {number}", 1, 30, fair, project=other.id)
    stage.run(1)
    started = Job.objects.exclude(started_ms=None)
    assert sorted(job.name.split()[0] for job in started) == ["heavy"] * 4 + ["light"] * 2


def test_a_recorded_round_replays_to_the_same_decisions(stage: Stage) -> None:
    stage.submit("old", 3, 20)
    stage.run(1)
    for name, cores, runs_s in (("head", 4, 5), ("long", 1, 60), ("short", 1, 10)):
        stage.submit(name, cores, runs_s)
    stage.run(1)
    seen = PlannerInput.objects.order_by("-at_ms").first()
    assert seen is not None
    made = Decision.objects.filter(planner_input=seen)
    again = schedule(recorded(seen, at_ms=made[0].at_ms))
    answers = {str(row.job_id): row.answer for row in made}
    placed = {placement.job: as_plain(placement) for placement in again.placements}
    assert placed | {refusal.job: as_plain(refusal) for refusal in again.refusals} == answers
    assert len(placed) == 1


def test_waiting_on_an_unchanged_cluster_records_nothing_new(stage: Stage) -> None:
    stage.submit("old", 3, 60)
    stage.run(1)
    stage.submit("head", 4, 5)
    stage.run(2)
    before = PlannerInput.objects.count(), Decision.objects.count()
    stage.run(10)
    assert (PlannerInput.objects.count(), Decision.objects.count()) == before
    assert job_view(stage.viewer, "J-2").row.reason == "waiting_free"
