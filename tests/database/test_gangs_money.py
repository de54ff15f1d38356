"""Jobs on some cards of a node, or on cards of two (E5): what each holds is its own."""

from collections.abc import Sequence
from uuid import UUID

from django.db.models import Sum

from alldata.kernel.intervals import HOUR_MS, Interval
from alldata.tenancy.viewer import Viewer
from costing.models import LedgerEntry
from costing.rating import price_nano
from costing.services.ledger import book_hour
from scheduling.models import Attempt, Device, Node
from tests.fleet import AGENT, GPU, HBM, HOUR, LATER, attempt, gpu, holds, job, take, window
from tests.money import WHOLE, nano

CARD_RATE, HBM_RATE, SM_RATE = 12_500_000_000, 7_500_000_000, 5_000_000_000


def tenants(viewer: Viewer, device: Device, held: Sequence[tuple[int, Interval]]) -> list[Attempt]:
    """One job each, holding an amount of HBM bandwidth over a span."""
    assert viewer.default_project_id is not None
    found = []
    for number, (amount, span) in enumerate(held, start=1):
        row = attempt(job(viewer.default_project_id, viewer.organisation_id, number), device)
        holds(row, device, amount, span)
        found.append(row)
    return found


def book(node: str = AGENT) -> None:
    book_hour(node, HOUR, now_ms=LATER)


def booked(value: str = "q", **where: object) -> dict[tuple[str, UUID | None], int]:
    where = {"dimension": "hbm_bandwidth"} | where
    rows = LedgerEntry.objects.filter(**where).values_list("bucket", "attempt_id").annotate(n=Sum(value))
    return {(bucket, attempt_id): int(n) for bucket, attempt_id, n in rows if n}


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
