"""Cards that are shared, split, or held by half (E5): every nano once, nothing copied, what is left over stranded."""

from collections.abc import Sequence
from uuid import UUID

import pytest
from django.contrib.auth.models import User
from django.db.models import Sum

from alldata.agent.wire import AttemptUsage, DeviceUsage, Frame, Usage
from alldata.kernel.intervals import HOUR_MS, Interval
from alldata.tenancy.selectors import viewer_of_user
from alldata.tenancy.services.bootstrap import bootstrap_tenancy
from alldata.tenancy.viewer import Viewer
from costing.models import LedgerEntry
from costing.rating import price_nano
from costing.services.capacity import note_supply
from costing.services.ledger import book_hour
from scheduling.models import Attempt, Device, DeviceCapacity, Node
from tests.fleet import AGENT, GPU, HBM, HOUR, LATER, attempt, gpu, holds, job, take, window

WHOLE = Interval(HOUR, HOUR + HOUR_MS)
HALF = HOUR + HOUR_MS // 2
CARD_RATE, HBM_RATE, SM_RATE = 12_500_000_000, 7_500_000_000, 5_000_000_000
TRAINING, INFERENCE = HBM * 6 // 10, HBM * 4 // 10


@pytest.fixture
def viewer() -> Viewer:
    made = bootstrap_tenancy(username="admin", password="correct horse battery staple")
    return viewer_of_user(User.objects.get(pk=made.user_id))


def tenants(viewer: Viewer, device: Device, held: Sequence[tuple[int, Interval]]) -> list[Attempt]:
    """One job each, holding an amount of HBM bandwidth over a span."""
    assert viewer.default_project_id is not None
    found = []
    for number, (amount, span) in enumerate(held, start=1):
        row = attempt(job(viewer.default_project_id, viewer.organisation_id, number), device)
        holds(row, device, amount, span)
        found.append(row)
    return found


def told(seq: int, span: Interval, whole: int, of: dict[UUID, int | None]) -> Frame:
    """A window with what the card did, and what was told of single attempts (None: nobody knows)."""
    card = DeviceUsage(GPU, {"hbm_bandwidth": Usage(whole, "driver", "measured")})
    mine = tuple(AttemptUsage(str(key), GPU, {"hbm_bandwidth": usage(q)}) for key, q in of.items())
    return Frame("boot:1", seq, span.start_ms, span.end_ms, (card,), mine)


def usage(q: int | None) -> Usage:
    return Usage(q, "driver", "missing" if q is None else "measured", reason="shared_card" if q is None else None)


def book(node: str = AGENT) -> None:
    book_hour(node, HOUR, now_ms=LATER)


def booked(value: str = "q", **where: object) -> dict[tuple[str, UUID | None], int]:
    where = {"dimension": "hbm_bandwidth"} | where
    rows = LedgerEntry.objects.filter(**where).values_list("bucket", "attempt_id").annotate(n=Sum(value))
    return {(bucket, attempt_id): int(n) for bucket, attempt_id, n in rows if n}


def total(**where: object) -> int:
    return int(LedgerEntry.objects.filter(**where).aggregate(n=Sum("nano"))["n"] or 0)


def split(card: Device, count: int = 7, sm: int = 14) -> None:
    """An A100 as so many MIG devices of 14 of its 108 multiprocessors and 5 of its 40 GiB."""
    Device.objects.filter(pk=card.pk).update(
        attributes={"mig_devices": count, "sm_count": 108, "memory_bytes": 40 << 30}
    )
    DeviceCapacity.objects.filter(device=card).update(capacity_gpu_sm=None)
    for k in range(count):
        part = Device.objects.create(
            uuid=f"MIG-{k}", node=card.node, type="gpu", name=f"gpu0 mig{k}", model="A100 MIG 1g.5gb",
            attributes={"mig_parent": card.uuid, "sm_count": sm},
        )  # fmt: skip
        DeviceCapacity.objects.create(
            device=part, valid_from_ms=HOUR, capacity_gpu_sm=1_000_000, capacity_gpu_memory_bytes=5 << 30
        )


def test_a_split_card_is_booked_once_and_strands_what_its_parts_leave(viewer: Viewer) -> None:
    split(gpu())
    take(window(0, WHOLE, 0))
    book()
    assert total() == price_nano(CARD_RATE, WHOLE)
    assert (
        abs(total(bucket="stranded", device=GPU) - price_nano(SM_RATE, WHOLE) * 10 // 108) <= 35
    )  # shares in billionths
    assert total(device="MIG-6") == total(device="MIG-0") > 0 == total(bucket="stranded", device="MIG-0")


def test_a_card_that_is_split_within_the_hour_is_booked_once(viewer: Viewer) -> None:
    card = gpu()
    note_supply(AGENT, at_ms=HOUR)
    split(card)
    note_supply(AGENT, at_ms=HALF)
    take(window(0, WHOLE, 0))
    book()
    halves = Interval(HOUR, HALF), Interval(HALF, WHOLE.end_ms)
    assert abs(total() - price_nano(CARD_RATE, WHOLE)) <= len(halves) * 9  # rates that each round once a half
    assert total(device=GPU, dimension="gpu_sm", bucket="unallocated_idle") == price_nano(SM_RATE, halves[0])
    assert 0 < total(bucket="stranded") < price_nano(SM_RATE, halves[1]) // 10


def test_four_time_sliced_pods_share_what_the_card_did(viewer: Viewer) -> None:
    """Each was promised a fourth; the driver tells of the card alone, and one may come only for half the hour."""
    spans = [WHOLE, WHOLE, WHOLE, Interval(HALF, WHOLE.end_ms)]
    pods = tenants(viewer, gpu(), [(HBM // 4, span) for span in spans])
    take(window(0, WHOLE, 120 * HOUR_MS))
    book()
    used = [booked(bucket="used")["used", pod.id] for pod in pods]
    assert used == [35 * HOUR_MS, 35 * HOUR_MS, 35 * HOUR_MS, 15 * HOUR_MS]


def test_a_burst_above_ones_share_is_taken_from_the_others_idle(viewer: Viewer) -> None:
    """Under MPS single processes may be told apart: 0.7 and 0.1 of a card of which each holds a half."""
    loud, quiet = tenants(viewer, gpu(hbm=1000), [(500, WHOLE), (500, WHOLE)])
    take(told(0, WHOLE, 800 * HOUR_MS, {loud.id: 700 * HOUR_MS, quiet.id: 100 * HOUR_MS}))
    book()
    assert booked() == {
        ("used", loud.id): 700 * HOUR_MS,
        ("used", quiet.id): 100 * HOUR_MS,
        ("allocated_idle", quiet.id): 200 * HOUR_MS,
    }


def test_more_told_of_attempts_than_the_card_did_is_never_billed(viewer: Viewer) -> None:
    a, b = tenants(viewer, gpu(), [(HBM // 2, WHOLE), (HBM // 2, WHOLE)])
    take(told(0, WHOLE, 300 * HOUR_MS, {a.id: 400 * HOUR_MS, b.id: 200 * HOUR_MS}))
    book()
    assert booked(bucket="used") == {("used", a.id): 200 * HOUR_MS, ("used", b.id): 100 * HOUR_MS}


def test_an_hour_alone_and_then_shared_is_divided_where_it_was_shared(viewer: Viewer) -> None:
    """The agent tells of the one who has the card alone; when another comes it can tell of nobody."""
    first, second = tenants(viewer, gpu(), [(HBM // 2, WHOLE), (HBM // 2, Interval(HALF, WHOLE.end_ms))])
    busy = 100 * (HOUR_MS // 2)
    take(told(0, Interval(HOUR, HALF), busy, {first.id: busy}))
    take(told(1, Interval(HALF, WHOLE.end_ms), busy, {first.id: None, second.id: None}))
    book()
    assert booked(bucket="used") == {("used", first.id): busy + busy // 2, ("used", second.id): busy // 2}
    assert booked(bucket="unmetered") == booked(bucket="system") == {}


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


def test_two_of_eight_cards_leave_six_to_nobody(viewer: Viewer) -> None:
    cards = [gpu(uuid=f"GPU-{k}") for k in range(8)]
    (who,) = tenants(viewer, cards[0], [(HBM, WHOLE)])
    holds(who, cards[1], HBM, WHOLE)
    for k in range(8):
        take(window(k, Interval(HOUR + k, HOUR + k + 1), 0, uuid=f"GPU-{k}"))
    book()
    assert total(dimension="hbm_bandwidth") == 8 * price_nano(HBM_RATE, WHOLE)
    assert total(dimension="hbm_bandwidth", attempt_id=None) == 6 * price_nano(HBM_RATE, WHOLE)


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
