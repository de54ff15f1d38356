"""Are quantities kept whole beyond 63 bits, and of nothing (E4)?"""

from alldata.kernel.intervals import HOUR_MS, Interval
from alldata.tenancy.viewer import Viewer
from costing.models import LedgerEntry
from costing.rating import price_nano
from costing.services.ledger import book_hour
from scheduling.models import DeviceCapacity
from tests.fleet import AGENT, HOUR, LATER, gpu, take, window
from tests.money import HALF, WHOLE, nano, quantity


def book(*hours: int) -> None:
    for hour_ms in hours or (HOUR,):
        book_hour(AGENT, hour_ms, now_ms=max(LATER, hour_ms + 3 * HOUR_MS))


def test_e4_quantities_beyond_sixty_three_bits_are_kept(viewer: Viewer) -> None:
    """An H100's bandwidth over an hour is 1.2e19 bytes/s x ms."""
    fast = 3_352 * 10**9
    gpu(hbm=fast)
    halves = [Interval(HOUR, HALF), Interval(HALF, WHOLE.end_ms)]
    take(*(window(k, half, fast * half.length_ms) for k, half in enumerate(halves)))
    book()
    assert quantity(bucket="system") == fast * HOUR_MS > 2**63


def test_e4_a_capacity_of_nothing_has_no_entry(viewer: Viewer) -> None:
    gpu()
    DeviceCapacity.objects.update(capacity_hbm_bandwidth=0)
    take(window(0, WHOLE, 5))
    book()
    assert not LedgerEntry.objects.filter(dimension="hbm_bandwidth").exists()
    assert nano() == price_nano(12_500_000_000, WHOLE)
