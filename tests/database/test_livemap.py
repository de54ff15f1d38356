"""The grid that is kept between looks says what a fresh look at every value says."""

import pytest

from alldata.kernel.intervals import Interval
from alldata.portal.fleet import labels
from alldata.tenancy.viewer import Viewer
from monitoring.heatmap import ABSENT, MISSING, percent_byte
from monitoring.selectors.live import live
from monitoring.selectors.livemap import LiveMap, live_map
from scheduling.models import Device, DeviceCapacity
from tests.fleet import AGENT, GPU, HBM, HOUR, gpu, take, window
from tests.world import home

TOLD = {"source": "published", "quality": "measured"}


@pytest.fixture
def viewer() -> Viewer:
    device = gpu()
    Device.objects.filter(pk=device.pk).update(provenance={"hbm_bandwidth": TOLD, "gpu_sm": TOLD})
    return home()


def seconds(first: int, last: int) -> Interval:
    return Interval(HOUR + first * 1000, HOUR + last * 1000)


def as_seen(seen: LiveMap) -> dict[tuple[str, str], int]:
    """(capability, device) -> byte, of cells that exist."""
    places = [(row, device) for row in seen.rows for _node, device in seen.columns]
    return {place: byte for place, byte in zip(places, seen.cells, strict=True) if byte != ABSENT}


def as_looked_up(viewer: Viewer) -> dict[tuple[str, str], int]:
    values = live(viewer, now_ms=HOUR + 60_000)
    return {(v.dimension, v.device): MISSING if v.percent is None else percent_byte(v.percent) for v in values}


def agrees(viewer: Viewer) -> bool:
    return as_seen(live_map(viewer, now_ms=HOUR + 60_000)) == as_looked_up(viewer)


def test_without_any_window_everything_is_missing(viewer: Viewer) -> None:
    seen = live_map(viewer, now_ms=HOUR)
    assert set(as_seen(seen).values()) == {MISSING} and seen.missing == seen.shown and seen.oldest_ms is None
    assert agrees(viewer)


def test_a_newer_window_replaces_the_older_one(viewer: Viewer) -> None:
    for seq, share in enumerate((2, 4)):
        take(window(seq, seconds(seq, seq + 1), HBM * 1000 // share))
        assert agrees(viewer)
    seen = live_map(viewer, now_ms=HOUR + 3000)
    assert as_seen(seen)["hbm_bandwidth", GPU] == 25 and seen.oldest_ms == 1000
    assert (seen.working, seen.at_limit) == (1, 0)


def test_a_layout_is_another_when_the_supply_is(viewer: Viewer) -> None:
    before = live_map(viewer, now_ms=HOUR).stamp
    DeviceCapacity.objects.update(capacity_gpu_sm=5, valid_from_ms=HOUR + 1)
    Device.objects.filter(uuid=GPU).update(provenance={"gpu_sm": TOLD})
    seen = live_map(viewer, now_ms=HOUR)
    assert seen.stamp != before and seen.rows == ("gpu_sm",) and agrees(viewer)


def test_names_are_as_short_as_they_stay_different() -> None:
    one, other = "GPU-12345678-aaaa", "GPU-12345678-bbbb"
    assert labels([(AGENT, one), (AGENT, f"{AGENT}/numa0/cpu")]) == [(AGENT, ["GPU-12345678", "numa0/cpu"])]
    assert labels([(AGENT, one), (AGENT, other)]) == [(AGENT, [one, other])]
