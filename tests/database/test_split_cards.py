"""Cards that are split into parts (E5): booked once, and what the parts leave over is stranded."""

from alldata.kernel.intervals import Interval
from alldata.tenancy.viewer import Viewer
from costing.rating import price_nano
from costing.services.capacity import note_supply
from costing.services.ledger import book_hour
from costing.services.quotes import BookQuotes
from scheduling.models import Device, DeviceCapacity
from tests.fleet import AGENT, GPU, HOUR, LATER, gpu, take, window
from tests.money import HALF, WHOLE, nano

CARD_RATE, HBM_RATE, SM_RATE = 12_500_000_000, 7_500_000_000, 5_000_000_000


def book(node: str = AGENT) -> None:
    book_hour(node, HOUR, now_ms=LATER)


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
    assert nano() == price_nano(CARD_RATE, WHOLE)
    assert (
        abs(nano(bucket="stranded", device=GPU) - price_nano(SM_RATE, WHOLE) * 10 // 108) <= 35
    )  # shares in billionths
    assert nano(device="MIG-6") == nano(device="MIG-0") > 0 == nano(bucket="stranded", device="MIG-0")


def test_a_card_that_is_split_within_the_hour_is_booked_once(viewer: Viewer) -> None:
    card = gpu()
    note_supply(AGENT, at_ms=HOUR)
    split(card)
    note_supply(AGENT, at_ms=HALF)
    take(window(0, WHOLE, 0))
    book()
    halves = Interval(HOUR, HALF), Interval(HALF, WHOLE.end_ms)
    assert abs(nano() - price_nano(CARD_RATE, WHOLE)) <= len(halves) * 9  # rates that each round once a half
    assert nano(device=GPU, dimension="gpu_sm", bucket="unallocated_idle") == price_nano(SM_RATE, halves[0])
    assert 0 < nano(bucket="stranded") < price_nano(SM_RATE, halves[1]) // 10


def test_a_part_is_quoted_what_it_will_be_booked_for(viewer: Viewer) -> None:
    split(gpu())
    (sm,) = [r for r in BookQuotes(lambda: LATER).rates(["MIG-3"]) if r.dimension == "gpu_sm"]
    take(window(0, WHOLE, 0))
    book()
    assert sm.nano_per_hour == nano(device="MIG-3", dimension="gpu_sm")
