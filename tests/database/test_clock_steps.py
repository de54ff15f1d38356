"""Does the bill depend on whose clock was wrong, or which card was in the slot (E2, E3)?"""

import pytest

from alldata.kernel.intervals import HOUR_MS, Interval
from alldata.tenancy.viewer import Viewer
from costing.rating import price_nano
from costing.services.capacity import note_supply
from costing.services.ledger import book_hour
from scheduling.models import Device
from tests.fleet import AGENT, GPU, HBM, HOUR, LATER, gpu, take, window
from tests.money import HALF, HBM_RATE, WHOLE, book, booked, worked


@pytest.mark.parametrize("step_ms", [-HOUR_MS, HOUR_MS])
def test_a_clock_that_steps_by_an_hour_bills_no_time_twice(viewer: Viewer, step_ms: int) -> None:
    """E2: half the hour is told by the right clock, then a new epoch begins at the stepped time."""
    worked(viewer, gpu(at_ms=HOUR - 2 * HOUR_MS))
    take(window(0, Interval(HOUR, HALF), HBM * HOUR_MS // 2, epoch="boot:9"))
    stepped = Interval(HALF + step_ms, WHOLE.end_ms + step_ms)
    take(window(0, stepped, HBM * HOUR_MS // 4, epoch="boot:10"))
    for hour_ms in (HOUR - HOUR_MS, HOUR, HOUR + HOUR_MS):
        book_hour(AGENT, hour_ms, now_ms=LATER)
    assert booked("q", hour_ms=HOUR)["used"] == HBM * HOUR_MS // 2
    assert booked("nano", hour_ms=HOUR)["unmetered"] == price_nano(HBM_RATE, Interval(HALF, WHOLE.end_ms))
    assert sum(booked("nano", hour_ms=HOUR).values()) == price_nano(HBM_RATE, WHOLE)


def test_the_later_start_of_an_agent_wins_an_overlap_whatever_its_name(viewer: Viewer) -> None:
    """E2: two agents claim the same hour; start 10 is later than start 9, also after another boot."""
    gpu()
    take(window(0, WHOLE, 900, epoch="zboot:9"), window(0, WHOLE, 100, epoch="aboot:10"))
    book()
    assert booked("q")["system"] == 100


def test_a_card_that_is_replaced_is_unavailable_and_the_new_one_begins_anew(viewer: Viewer) -> None:
    """E3: another UUID in the same slot; neither is billed for the other's half of the hour."""
    old = gpu()
    note_supply(AGENT, at_ms=HOUR)
    Device.objects.filter(pk=old.pk).update(retired_ms=HALF)
    gpu(uuid="GPU-new", at_ms=HALF)
    note_supply(AGENT, at_ms=HALF)
    take(window(0, Interval(HOUR, HALF), 0), window(1, Interval(HALF, WHOLE.end_ms), 0, uuid="GPU-new"))
    book()
    halves = [price_nano(HBM_RATE, Interval(HOUR, HALF)), price_nano(HBM_RATE, Interval(HALF, WHOLE.end_ms))]
    assert [sum(booked(device=uuid).values()) for uuid in (GPU, "GPU-new")] == halves
