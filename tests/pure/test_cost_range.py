"""A span of time in an address: presets, instants of the reader's own, and what means nothing."""

import pytest

from alldata.kernel.intervals import DAY_MS
from alldata.portal.cost_range import span_of

NOW = 1_796_000_000_000


def test_a_preset_ends_now() -> None:
    span = span_of({"range": "7d"}, now_ms=NOW)
    assert (span.to_ms - span.from_ms, span.to_ms, span.preset) == (7 * DAY_MS, NOW, "7d")


def test_instants_are_kept_to_the_millisecond() -> None:
    span = span_of({"from": "2026-11-01T00:00:00.001Z", "to": "2026-11-02T00:00:00.999+08:00"}, now_ms=NOW)
    assert (span.from_ms, span.to_ms, span.preset) == (1_793_491_200_001, 1_793_548_800_999, "")


@pytest.mark.parametrize(
    "asked",
    [
        {"from": "yesterday", "to": "today"},
        {"from": "2026-11-02T00:00Z", "to": "2026-11-01T00:00Z"},
        {"from": "2020-01-01T00:00Z", "to": "2026-11-01T00:00Z"},
        {"from": "9999-12-31T23:59:59-23:59"},
        {"from": "0001-01-01T00:00:00+14:00", "to": "0001-01-02T00:00:00+14:00"},
    ],
)
def test_what_means_nothing_says_so_and_shows_the_default(asked: dict[str, str]) -> None:
    span = span_of(asked, now_ms=NOW)
    assert span.fault and (span.preset, span.to_ms - span.from_ms) == ("30d", 30 * DAY_MS)
