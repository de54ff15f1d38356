"""Cards that several share (E5): every nano once, nothing copied."""

from alldata.kernel.intervals import HOUR_MS, Interval
from alldata.tenancy.viewer import Viewer
from tests.cards import book, booked, tenants
from tests.fleet import HBM, attempt, gpu, holds, job, take, window
from tests.money import HALF, WHOLE

TRAINING, INFERENCE = HBM * 6 // 10, HBM * 4 // 10


def test_four_time_sliced_pods_share_what_the_card_did(viewer: Viewer) -> None:
    """Each was promised a fourth; the driver tells of the card alone, and one may come only for half the hour."""
    spans = [WHOLE, WHOLE, WHOLE, Interval(HALF, WHOLE.end_ms)]
    pods = tenants(viewer, gpu(), [(HBM // 4, span) for span in spans])
    take(window(0, WHOLE, 120 * HOUR_MS))
    book()
    used = [booked(bucket="used")["used", pod.id] for pod in pods]
    assert used == [35 * HOUR_MS, 35 * HOUR_MS, 35 * HOUR_MS, 15 * HOUR_MS]


def test_training_and_inference_on_one_card_hold_no_more_than_it(viewer: Viewer) -> None:
    both = tenants(viewer, gpu(), [(TRAINING, WHOLE), (INFERENCE, WHOLE)])
    take(window(0, WHOLE, HBM * HOUR_MS // 2))
    book()
    found = booked()
    held = {a.id: found["used", a.id] + found["allocated_idle", a.id] for a in both}
    assert list(held.values()) == [TRAINING * HOUR_MS, INFERENCE * HOUR_MS]
    assert sum(q for (bucket, _), q in found.items() if bucket == "used") == HBM * HOUR_MS // 2


def test_what_a_job_does_on_its_card_is_its_own_though_it_holds_another_capability(viewer: Viewer) -> None:
    device = gpu()
    assert viewer.default_project_id is not None
    who = attempt(job(viewer.default_project_id, viewer.organisation_id), device)
    holds(who, device, 1_000_000, WHOLE, "gpu_sm")
    take(window(0, WHOLE, HBM * HOUR_MS // 4))
    book()
    assert booked(bucket="used") == {("used", who.id): HBM * HOUR_MS // 4}
