"""Does the bill depend on how often somebody looked, or on whose clock was wrong (E1, E2, E3, E10)?"""

from collections.abc import Sequence
from pathlib import Path

import pytest
from django.conf import settings
from django.contrib.auth.models import User
from django.db.models import Sum

from alldata.agent.wire import DeviceUsage, Frame, Quality, Usage
from alldata.kernel.intervals import HOUR_MS, Interval
from alldata.tenancy.selectors import viewer_of_user
from alldata.tenancy.services.bootstrap import bootstrap_tenancy
from alldata.tenancy.viewer import Viewer
from costing.models import LedgerEntry
from costing.rating import price_nano
from costing.selectors.costs import cost_of_job
from costing.selectors.health import health
from costing.services.capacity import note_supply
from costing.services.ledger import book_hour
from monitoring.errors import BadFrameTime
from monitoring.models import UsageFrame
from scheduling.models import Device, Job
from tests.fleet import AGENT, GPU, HBM, HOUR, LATER, PRICES, attempt, gpu, holds, job, take, window

WHOLE = Interval(HOUR, HOUR + HOUR_MS)
HALF = HOUR + HOUR_MS // 2
RATE = 7_500_000_000
SECOND = 1000
RULES = Path(settings.BASE_DIR) / "monitoring" / "rules" / "ledger.yaml"
NO_PROXY = PRICES.replace("bills_proxy: true", "bills_proxy: false")


@pytest.fixture
def viewer() -> Viewer:
    made = bootstrap_tenancy(username="admin", password="correct horse battery staple")
    return viewer_of_user(User.objects.get(pk=made.user_id))


def worked(viewer: Viewer, device: Device, span: Interval = WHOLE) -> Job:
    """A job that holds the whole card."""
    assert viewer.default_project_id is not None
    row = job(viewer.default_project_id, viewer.organisation_id, span=span)
    holds(attempt(row, device), device, HBM, span)
    return row


def book(now_ms: int = LATER) -> int:
    return book_hour(AGENT, HOUR, now_ms=now_ms)


def booked(value: str = "nano", **where: object) -> dict[str, int]:
    rows = LedgerEntry.objects.filter(dimension="hbm_bandwidth", **where).values_list("bucket").annotate(n=Sum(value))
    return {bucket: int(n) for bucket, n in rows if n}


def looks(spans: Sequence[tuple[int, int]]) -> list[Frame]:
    """One window a look, in seconds of the hour: the card is busy in every even minute."""
    found = []
    for seq, (start, end) in enumerate(spans):
        q = sum(HBM * SECOND for second in range(start, end) if second // 60 % 2 == 0)
        found.append(window(seq, Interval(HOUR + start * SECOND, HOUR + end * SECOND), q))
    return found


def test_looking_every_second_then_every_five_costs_what_looking_once_costs(viewer: Viewer) -> None:
    """E10: the interval changes in the middle of the job; the integrals are the same."""
    worked(viewer, gpu(), Interval(HOUR, HOUR + 240 * SECOND))
    often = [(s, s + 1) for s in range(120)] + [(s, s + 5) for s in range(120, 240, 5)]
    take(*looks(often), window(999, Interval(HOUR + 240 * SECOND, WHOLE.end_ms), 0))
    book()
    assert booked("q", bucket="used") == {"used": HBM * 120 * SECOND}
    assert booked("nano", bucket="used") == {"used": price_nano(RATE, Interval(HOUR, HOUR + 240 * SECOND)) // 2}


def test_a_profiler_that_takes_the_counters_leaves_a_gap_and_not_an_idle_card(viewer: Viewer) -> None:
    """E10: the counters are somebody else's for half the hour; the agent says so, and is heard all the time."""
    worked(viewer, gpu())
    take(window(0, Interval(HOUR, HALF), HBM * HOUR_MS // 4))
    blind = DeviceUsage(GPU, {"hbm_bandwidth": Usage(None, "driver", "missing", reason="perfmon_locked")})
    take(Frame("boot:1", 1, HALF, WHOLE.end_ms, (blind,)))
    book()
    assert booked()["unmetered"] == price_nano(RATE, Interval(HALF, WHOLE.end_ms))
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
    expected = price_nano(RATE, Interval(WHOLE.end_ms - blind, WHOLE.end_ms)) if blind else 0
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
    assert booked() == {bucket: price_nano(RATE, WHOLE)}


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
    assert booked("nano", hour_ms=HOUR)["unmetered"] == price_nano(RATE, Interval(HALF, WHOLE.end_ms))
    assert sum(booked("nano", hour_ms=HOUR).values()) == price_nano(RATE, WHOLE)


def test_the_later_start_of_an_agent_wins_an_overlap_whatever_its_name(viewer: Viewer) -> None:
    """E2: two agents claim the same hour; start 10 is later than start 9, also after another boot."""
    gpu()
    take(window(0, WHOLE, 900, epoch="zboot:9"), window(0, WHOLE, 100, epoch="aboot:10"))
    book()
    assert booked("q")["system"] == 100


def test_a_spool_of_six_hours_is_booked_as_if_it_had_been_in_time(viewer: Viewer) -> None:
    """E2: everything is six hours late and comes twice; the bill is that of an agent that was in time."""
    worked(viewer, gpu())
    frames = looks([(s, s + 60) for s in range(0, 3600, 60)])
    book(LATER + 6 * HOUR_MS)
    take(*frames, *frames, now_ms=LATER + 6 * HOUR_MS)
    book(LATER + 6 * HOUR_MS + 1)
    half = price_nano(RATE, WHOLE) // 2
    assert booked() == {"used": half, "allocated_idle": half}
    assert UsageFrame.objects.count() == 60


@pytest.mark.parametrize("at_ms", [LATER + 6 * 60_000, LATER - 36 * 24 * HOUR_MS])
def test_windows_from_tomorrow_or_last_month_are_refused(viewer: Viewer, at_ms: int) -> None:
    with pytest.raises(BadFrameTime):
        take(window(0, Interval(at_ms - SECOND, at_ms), 1))


def test_a_running_job_is_billed_up_to_what_is_known(viewer: Viewer) -> None:
    row = worked(viewer, gpu())
    Job.objects.filter(pk=row.pk).update(state="active", ended_ms=None)
    take(window(0, Interval(HOUR, HALF), 0))
    book(HALF)
    cost = cost_of_job(viewer, str(row.id))
    assert (cost.state, cost.held_nano) == ("provisional", price_nano(RATE, Interval(HOUR, HALF)))


@pytest.mark.parametrize("length_ms", [1, 999])
def test_a_job_shorter_than_a_look_is_billed_to_the_millisecond(viewer: Viewer, length_ms: int) -> None:
    row = worked(viewer, gpu(), Interval(HOUR + 500, HOUR + 500 + length_ms))
    take(window(0, WHOLE, HBM * HOUR_MS))
    book()
    assert booked("q", job_id=row.id) == {"used": HBM * length_ms}


def test_a_card_that_is_replaced_is_unavailable_and_the_new_one_begins_anew(viewer: Viewer) -> None:
    """E3: another UUID in the same slot; neither is billed for the other's half of the hour."""
    old = gpu()
    note_supply(AGENT, at_ms=HOUR)
    Device.objects.filter(pk=old.pk).update(retired_ms=HALF)
    gpu(uuid="GPU-new", at_ms=HALF)
    note_supply(AGENT, at_ms=HALF)
    take(window(0, Interval(HOUR, HALF), 0), window(1, Interval(HALF, WHOLE.end_ms), 0, uuid="GPU-new"))
    book()
    halves = [price_nano(RATE, Interval(HOUR, HALF)), price_nano(RATE, Interval(HALF, WHOLE.end_ms))]
    assert [sum(booked(device=uuid).values()) for uuid in (GPU, "GPU-new")] == halves
