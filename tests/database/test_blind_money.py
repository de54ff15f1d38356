"""Does the bill tell what could not be seen from what was idle (E10)?"""

from pathlib import Path

import pytest
from django.conf import settings

from alldata.agent.wire import DeviceUsage, Frame, Quality, Usage
from alldata.kernel.intervals import HOUR_MS, Interval
from alldata.tenancy.viewer import Viewer
from costing.rating import price_nano
from costing.selectors.health import health
from tests.fleet import AGENT, GPU, HBM, HOUR, PRICES, gpu, take, window
from tests.money import HALF, HBM_RATE, WHOLE, book, booked, worked

RULES = Path(settings.BASE_DIR) / "monitoring" / "rules" / "ledger.yaml"
NO_PROXY = PRICES.replace("bills_proxy: true", "bills_proxy: false")


def test_a_profiler_that_takes_the_counters_leaves_a_gap_and_not_an_idle_card(viewer: Viewer) -> None:
    """E10: the counters are somebody else's for half the hour; the agent says so, and is heard all the time."""
    worked(viewer, gpu())
    take(window(0, Interval(HOUR, HALF), HBM * HOUR_MS // 4))
    blind = DeviceUsage(GPU, {"hbm_bandwidth": Usage(None, "driver", "missing", reason="perfmon_locked")})
    take(Frame("boot:1", 1, HALF, WHOLE.end_ms, (blind,)))
    book()
    assert booked()["unmetered"] == price_nano(HBM_RATE, Interval(HALF, WHOLE.end_ms))
    assert booked().keys() == {"used", "allocated_idle", "unmetered"}
    assert health(now_ms=WHOLE.end_ms).unmetered == {AGENT: 0.5}
    assert "expr: crater_ledger_unmetered_ratio > 0.01" in RULES.read_text(encoding="utf-8")


@pytest.mark.parametrize("coverage_ms", [0, 6 * 60_000, 59 * 60_000])
def test_the_part_of_a_window_that_nobody_watched_is_unmetered(viewer: Viewer, coverage_ms: int) -> None:
    """A pause of a tenth or more is a gap; between two looks there is always a little."""
    worked(viewer, gpu())
    usage = {"hbm_bandwidth": Usage(0, "driver", "measured", coverage_ms=coverage_ms)}
    take(Frame("boot:1", 0, WHOLE.start_ms, WHOLE.end_ms, (DeviceUsage(GPU, usage),)))
    take(Frame("boot:1", 1, WHOLE.end_ms, WHOLE.end_ms + 1, (DeviceUsage(GPU, usage),)))
    book()
    blind = 0 if coverage_ms > 54 * 60_000 else HOUR_MS - coverage_ms
    expected = price_nano(HBM_RATE, Interval(WHOLE.end_ms - blind, WHOLE.end_ms)) if blind else 0
    assert booked().get("unmetered", 0) == expected


@pytest.mark.parametrize(("prices", "quality", "bucket"), [
    (NO_PROXY, "proxy", "unmetered"),
    (NO_PROXY, "estimated", "unmetered"),
    (NO_PROXY, "measured", "used"),
    (PRICES, "proxy", "used"),
])  # fmt: skip
def test_a_proxy_bills_only_where_the_book_says_so(viewer: Viewer, prices: str, quality: Quality, bucket: str) -> None:
    worked(viewer, gpu(prices=prices))
    usage = {"hbm_bandwidth": Usage(HBM * HOUR_MS, "driver", quality)}
    take(Frame("boot:1", 0, WHOLE.start_ms, WHOLE.end_ms, (DeviceUsage(GPU, usage),)))
    book()
    assert booked() == {bucket: price_nano(HBM_RATE, WHOLE)}
