"""Advice names only cards that could run the job: not broken, not imported, not played (unless the job was)."""

import pytest

from alldata.kernel.intervals import HOUR_MS, Interval
from alldata.tenancy.viewer import Viewer
from costing.selectors.advice import advice_for_job
from costing.services.ledger import book_hour
from scheduling.models import Device, DeviceCapacity, Job, Node
from tests.fleet import AGENT, HBM, HOUR, LATER, attempt, gpu, holds, job, take, window
from tests.world import home

WHOLE = Interval(HOUR, HOUR + HOUR_MS)


@pytest.fixture
def viewer() -> Viewer:
    return home()


@pytest.fixture
def work(viewer: Viewer) -> Job:
    """A job on one kind of card, beside a node with a card of twice the bandwidth at the same price."""
    device = gpu()
    assert viewer.default_project_id is not None
    row = job(viewer.default_project_id, viewer.organisation_id)
    holds(attempt(row, device), device, HBM, WHOLE)
    take(window(0, WHOLE, HBM * HOUR_MS // 2))
    book_hour(AGENT, HOUR, now_ms=LATER)
    far = Node.objects.create(name="far", engine="fake", agent_version="0", boot_id="b", registered_ms=0, seen_ms=0)
    other = Device.objects.create(uuid="GPU-far", node=far, type="gpu", name="gpu0", model="H100")
    DeviceCapacity.objects.create(
        device=other, valid_from_ms=HOUR, capacity_hbm_bandwidth=2 * HBM, capacity_gpu_sm=1_000_000
    )
    return row


def named(viewer: Viewer, work: Job) -> list[str]:
    hints = advice_for_job(viewer, str(work.id), now_ms=LATER).hints
    return [str(hint.facts["model"]) for hint in hints if hint.code == "cheaper_elsewhere"]


def test_a_better_card_that_is_there_is_named(viewer: Viewer, work: Job) -> None:
    assert named(viewer, work) == ["H100"]


def test_an_imported_or_broken_card_is_not(viewer: Viewer, work: Job) -> None:
    Device.objects.filter(uuid="GPU-far").update(healthy=False)
    assert named(viewer, work) == []


@pytest.mark.parametrize(("mine", "found"), [(False, []), (True, ["H100"])])
def test_a_played_card_is_only_for_what_is_played(viewer: Viewer, work: Job, mine: bool, found: list[str]) -> None:
    Node.objects.filter(name="far").update(simulated=True)
    Node.objects.filter(name=AGENT).update(simulated=mine)
    assert named(viewer, work) == found
