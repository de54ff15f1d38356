"""What is said before a submission: on which evidence, for which device, for which start."""

from dataclasses import replace
from uuid import UUID

import pytest

from alldata.tenancy.viewer import Viewer
from costing.services.gate import BudgetDesk
from scheduling.crater.model import Pick
from scheduling.errors import DeadlineUnmeetable
from scheduling.models import Attempt, Device, DeviceCapacity, Job
from scheduling.selectors.answers import JobRow
from scheduling.services.answer import PreCheck
from scheduling.services.commands import Sla
from scheduling.services.foresight import Foresight
from scheduling.services.placement import place_waiting
from scheduling.services.precheck import precheck
from tests.past import hardware, ran
from tests.world import NODE, NOW, FlatRates, command, home, machine, submitted

MINUTE = 60_000
SOON = Sla(deadline_ms=NOW + 10 * MINUTE)


@pytest.fixture
def viewer() -> Viewer:
    machine()
    return home()


@pytest.fixture
def like(viewer: Viewer) -> JobRow:
    """A job whose code the past and the next one share; it waits for nothing any more."""
    row = submitted(viewer)
    Job.objects.filter(pk=row.id).update(state="cancelled", ended_ms=NOW)
    return row


def check(viewer: Viewer, sla: Sla = SOON, now_ms: int = NOW) -> PreCheck:
    return precheck(viewer, command(sla=sla), prices=FlatRates(), budgets=BudgetDesk(), now_ms=now_ms)


def gpu_forecast(like: JobRow, device: str) -> tuple[str, int]:
    foresight = Foresight(Job.objects.get(pk=like.id), now_ms=NOW)
    runtime = foresight.runtime([Pick(device, "gpu", {"gpu_sm": 1})])
    return runtime.source, runtime.p50_ms


def test_without_any_run_it_says_that_it_guesses(viewer: Viewer) -> None:
    answer = check(viewer)
    assert (answer.forecast_source, answer.runs) == ("declared", 0)
    assert "no_history" in answer.warnings


def test_own_runs_on_such_a_device_come_first(viewer: Viewer, like: JobRow) -> None:
    for age in range(1, 5):
        ran(like, MINUTE, age=age)
    answer = check(viewer)
    assert (answer.forecast_source, answer.runs, answer.predicted_ms) == ("history", 4, MINUTE)
    assert answer.finish_ms == NOW + MINUTE and answer.cost_nano == 1_800_000 // 60
    assert answer.on_time is not None and answer.on_time > 0.99


def test_runs_on_other_hardware_are_transferred_by_what_binds(viewer: Viewer, like: JobRow) -> None:
    hardware("GPU-old", "v100", hbm_bandwidth=900 * 10**9)
    hardware("GPU-new", "a100", hbm_bandwidth=1_800 * 10**9)
    ran(like, MINUTE, device="GPU-old")
    assert gpu_forecast(like, "GPU-old") == ("history", MINUTE)
    assert gpu_forecast(like, "GPU-new") == ("roofline", MINUTE // 2)


def test_where_nothing_can_be_compared_runs_speak_as_they_are(viewer: Viewer, like: JobRow) -> None:
    hardware("GPU-old", "v100")
    hardware("GPU-new", "a100", hbm_bandwidth=1)
    ran(like, MINUTE, device="GPU-old")
    assert gpu_forecast(like, "GPU-new") == ("history", MINUTE)


def test_what_another_organisation_ran_is_no_evidence(viewer: Viewer, like: JobRow) -> None:
    job = ran(like, MINUTE)
    Job.objects.filter(pk=job.pk).update(organisation_id=UUID(int=1))
    assert check(viewer).forecast_source == "declared"


def test_code_that_never_ran_is_like_others_with_such_deadlines(viewer: Viewer, like: JobRow) -> None:
    for age in range(1, 41):
        job = ran(like, MINUTE, age=age)
        Job.objects.filter(pk=job.pk).update(entry_digest="other", submitted_ms=(job.ended_ms or 0) - 10 * MINUTE)
    answer = check(viewer)
    assert (answer.forecast_source, answer.predicted_ms) == ("experience", MINUTE)
    assert answer.on_time == pytest.approx(1.0)


def test_promises_are_corrected_by_how_often_they_were_kept(viewer: Viewer, like: JobRow) -> None:
    for age in range(1, 61):
        job = ran(like, MINUTE, age=age, on_time=0.99)
        Job.objects.filter(pk=job.pk).update(entry_digest="other", deadline_met=age % 2 == 0)
    for age in range(100, 104):
        ran(like, MINUTE, age=age, on_time=0.99)
    answer = check(viewer)
    assert answer.calibrated and answer.chance is not None and answer.chance > 0.99
    assert answer.on_time is not None and 0.4 < answer.on_time < 0.65
    assert "deadline_at_risk" in answer.warnings


def test_what_does_not_fit_now_is_told_when_it_would(viewer: Viewer, like: JobRow) -> None:
    for age in range(1, 5):
        ran(like, MINUTE, age=age)
    for _ in range(2):
        submitted(viewer)
    place_waiting(prices=FlatRates(), now_ms=NOW)
    Attempt.objects.filter(state="placing").update(state="running", started_ms=NOW)
    answer = check(viewer, now_ms=NOW + MINUTE // 2)
    assert not answer.fits and answer.later_node == NODE
    assert answer.starts_in_ms is not None and answer.starts_in_p90_ms is not None
    assert MINUTE // 2 <= answer.starts_in_ms <= answer.starts_in_p90_ms < 2 * MINUTE
    assert answer.finish_ms == NOW + MINUTE // 2 + answer.starts_in_ms + MINUTE
    assert answer.cost_nano == 1_800_000 // 60 and answer.warnings[0] == "waits"


def test_what_can_never_fit_has_no_start(viewer: Viewer) -> None:
    DeviceCapacity.objects.filter(device__type="storage").update(capacity_storage_iops=1)
    answer = check(viewer)
    assert (answer.starts_in_ms, answer.finish_ms, answer.warnings) == (None, None, ("impossible",))


def test_a_hard_deadline_that_cannot_be_met_is_refused(viewer: Viewer, like: JobRow) -> None:
    for age in range(1, 5):
        ran(like, 30 * MINUTE, age=age)
    hard = replace(SOON, deadline_policy="hard")
    with pytest.raises(DeadlineUnmeetable) as refusal:
        submitted(viewer, sla=hard)
    assert refusal.value.late_ms == 20 * MINUTE and "later deadline" in str(refusal.value)
    row = submitted(viewer, sla=SOON)
    assert "deadline_at_risk" in row.promise["warnings"]


def test_a_guess_refuses_nothing(viewer: Viewer) -> None:
    assert submitted(viewer, sla=Sla(deadline_ms=NOW + 1, deadline_policy="hard")).state == "queued"


def test_a_hard_deadline_on_what_can_never_start_is_refused(viewer: Viewer) -> None:
    Device.objects.filter(type="storage").update(retired_ms=NOW)
    with pytest.raises(DeadlineUnmeetable, match="never start"):
        submitted(viewer, sla=replace(SOON, deadline_policy="hard"))
