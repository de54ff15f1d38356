"""Jobs on some cards of a node, or on cards of two (E5): what each holds is its own."""

from alldata.kernel.intervals import HOUR_MS, Interval
from alldata.tenancy.viewer import Viewer
from costing.rating import price_nano
from scheduling.models import Device, Node
from tests.cards import book, booked, tenants
from tests.fleet import GPU, HBM, HOUR, gpu, holds, take, window
from tests.money import WHOLE, nano

CARD_RATE, HBM_RATE, SM_RATE = 12_500_000_000, 7_500_000_000, 5_000_000_000


def test_two_of_eight_cards_leave_six_to_nobody(viewer: Viewer) -> None:
    cards = [gpu(uuid=f"GPU-{k}") for k in range(8)]
    (who,) = tenants(viewer, cards[0], [(HBM, WHOLE)])
    holds(who, cards[1], HBM, WHOLE)
    for k in range(8):
        take(window(k, Interval(HOUR + k, HOUR + k + 1), 0, uuid=f"GPU-{k}"))
    book()
    assert nano(dimension="hbm_bandwidth") == 8 * price_nano(HBM_RATE, WHOLE)
    assert nano(dimension="hbm_bandwidth", attempt_id=None) == 6 * price_nano(HBM_RATE, WHOLE)


def test_a_straggler_of_a_gang_costs_its_job_what_it_holds(viewer: Viewer) -> None:
    """Two cards on two nodes: one is busy, the other waits for it. Both are held, one idles."""
    busy, other = gpu(), gpu(uuid="GPU-far")
    far = Node.objects.create(name="far", engine="fake", agent_version="0", boot_id="b", registered_ms=0, seen_ms=0)
    Device.objects.filter(pk=other.pk).update(node=far)
    (who,) = tenants(viewer, busy, [(HBM, WHOLE)])
    holds(who, other, HBM, WHOLE)
    take(window(0, WHOLE, HBM * HOUR_MS))
    take(window(0, WHOLE, 0, uuid="GPU-far"), agent="far")
    book()
    book("far")
    assert booked("nano", device=GPU) == {("used", who.id): price_nano(HBM_RATE, WHOLE)}
    assert booked("nano", device="GPU-far") == {("allocated_idle", who.id): price_nano(HBM_RATE, WHOLE)}
