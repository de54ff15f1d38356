"""Whatever an hour was like, its parts and other units come to the same money (L4, L10)."""

from collections import defaultdict
from dataclasses import replace
from itertools import pairwise

import pytest
from django.db.models import Sum
from hypothesis import given, settings
from hypothesis import strategies as st

from alldata.agent.wire import Frame
from alldata.kernel.intervals import HOUR_MS, Interval
from alldata.tenancy.viewer import Viewer
from costing.models import LedgerEntry
from costing.rating import price_nano
from costing.selectors.prices import price_history
from costing.services.ledger import book_hour
from costing.services.metering import rate_hour
from scheduling.models import Device, DeviceCapacity
from tests.fleet import AGENT, HBM, HOUR, LATER, take
from tests.hours import LAW, attempts, claims, example, hours, watched_gpu
from tests.money import WHOLE

FEW = settings(LAW, max_examples=6)
Held = list[tuple[int, Interval]]


@pytest.fixture
def device(viewer: Viewer) -> Device:
    return watched_gpu()


def rated(span: Interval) -> dict[str, tuple[int, int]]:
    """(q, nano) of HBM bandwidth by bucket, and of all buckets together."""
    found: dict[str, tuple[int, int]] = defaultdict(lambda: (0, 0))
    for account, amount in rate_hour(AGENT, span, price_history()).amounts.items():
        if account.dimension == "hbm_bandwidth":
            for key in (account.bucket.value, "all"):
                found[key] = found[key][0] + amount.q, found[key][1] + amount.nano
    return found


@FEW
@given(frames=hours(), held=claims(), cuts=st.sets(st.integers(HOUR + 1, WHOLE.end_ms - 1), max_size=4))
def test_l4_any_partition_of_the_hour_comes_to_the_hour(
    viewer: Viewer, device: Device, frames: list[Frame], held: Held, cuts: set[int]
) -> None:
    for _ in example():
        attempts(viewer, device, held)
        take(*frames)
        book_hour(AGENT, HOUR, now_ms=LATER)
        whole = rated(WHOLE)
        parts = [rated(Interval(*edges)) for edges in pairwise(sorted({HOUR, WHOLE.end_ms, *cuts}))]
        assert sum(part["all"][0] for part in parts) == whole["all"][0] == HBM * HOUR_MS
        assert sum(part["all"][1] for part in parts) == whole["all"][1] == price_nano(7_500_000_000, WHOLE)
        used = [sum(part[bucket][0] for part in parts for bucket in ("used", "system"))]
        assert used == [whole["used"][0] + whole["system"][0]]
        assert abs(sum(part["used"][1] for part in parts) - whole["used"][1]) <= 4 * len(parts)


@FEW
@given(frames=hours(), held=claims())
def test_l10_another_unit_leaves_the_money(viewer: Viewer, device: Device, frames: list[Frame], held: Held) -> None:
    """The same card described in thousands of bytes and in bytes: capacities, claims and integrals times 1000."""
    found = []
    for scale in (1, 1000):
        for _ in example():
            DeviceCapacity.objects.update(capacity_hbm_bandwidth=HBM // 1000 * scale)
            attempts(viewer, device, [(-(-amount // 1000) * scale, span) for amount, span in held])
            take(*(scaled(frame, scale) for frame in frames))
            book_hour(AGENT, HOUR, now_ms=LATER)
            rows = LedgerEntry.objects.values_list("dimension", "bucket").annotate(n=Sum("nano"))
            found.append(sorted((*row[:2], int(row[2])) for row in rows if row[2]))
    assert found[0] == found[1]


def scaled(frame: Frame, scale: int) -> Frame:
    (card,) = frame.devices
    usage = card.dims["hbm_bandwidth"]
    assert usage.q is not None
    dims = {"hbm_bandwidth": replace(usage, q=usage.q // 1000 * scale)}
    return replace(frame, devices=(replace(card, dims=dims),))
