"""Prices that are missing, replaced or in another currency; spans that straddle something (E1, E4, E8, E13, L18)."""

import pytest
from django.contrib.auth.models import User
from django.db.models import Sum
from hypothesis import given, settings
from hypothesis import strategies as st

from alldata.agent.wire import AttemptUsage, Frame, Usage
from alldata.kernel.intervals import HOUR_MS, Interval
from alldata.kernel.money import BadAmount
from alldata.tenancy.selectors import viewer_of_user
from alldata.tenancy.services.bootstrap import bootstrap_tenancy
from alldata.tenancy.viewer import Viewer
from costing.errors import BadPriceBook
from costing.models import LedgerEntry
from costing.pricing.exchange import ExchangeRate
from costing.rating import price_nano
from costing.selectors.focus import focus_rows
from costing.selectors.health import health
from costing.selectors.prices import price_history
from costing.services.books import publish_prices
from costing.services.cloud_lists import CloudList, read_cloud_list
from costing.services.exchange import note_rate
from costing.services.ledger import book_hour
from costing.services.lists import read_price_list
from scheduling.models import Device, DeviceCapacity, Node
from tests.fleet import AGENT, HBM, HOUR, LATER, PRICES, attempt, gpu, holds, job, take, window
from tests.hours import LAW, example

WHOLE = Interval(HOUR, HOUR + HOUR_MS)
HALF = HOUR + HOUR_MS // 2
RATE = 7_500_000_000
DECEMBER = 1_796_083_200_000
CORES = PRICES + "  - {type: cpu, hourly: '2.0', weights: {cpu_millicores: 1000000}}\n"
LIST = "instance,gpu_model,gpus,vcpus,memory_gib,storage_gib,hourly,currency\np4d,A100,8,96,1152,8000,32.77,USD\n"


@pytest.fixture
def viewer() -> Viewer:
    made = bootstrap_tenancy(username="admin", password="correct horse battery staple")
    return viewer_of_user(User.objects.get(pk=made.user_id))


def book(*hours: int) -> None:
    for hour_ms in hours or (HOUR,):
        book_hour(AGENT, hour_ms, now_ms=max(LATER, hour_ms + 3 * HOUR_MS))


def nano(**where: object) -> int:
    return int(LedgerEntry.objects.filter(**where).aggregate(n=Sum("nano"))["n"] or 0)


def q(**where: object) -> int:
    return int(LedgerEntry.objects.filter(dimension="hbm_bandwidth", **where).aggregate(n=Sum("q"))["n"] or 0)


def test_e8_what_has_no_price_has_no_entry_and_is_named(viewer: Viewer) -> None:
    device = gpu(prices=PRICES.replace("type: gpu", "type: gpu, model: H100"))
    take(window(0, WHOLE, HBM * HOUR_MS))
    book()
    assert (LedgerEntry.objects.count(), health(now_ms=LATER).unpriced) == (0, (("gpu", device.model),))


def test_e8_a_price_changed_in_the_middle_leaves_the_past_as_it_was(viewer: Viewer) -> None:
    gpu()
    take(window(0, Interval(HOUR, HALF), 0))
    book_hour(AGENT, HOUR, now_ms=HALF)
    before = nano()
    publish_prices(read_price_list(PRICES.replace("12.5", "25")), now_ms=HALF)
    take(window(1, Interval(HALF, WHOLE.end_ms), 0))
    book()
    assert before == price_nano(RATE, Interval(HOUR, HALF)) + price_nano(5_000_000_000, Interval(HOUR, HALF))
    assert nano() == before + before * 2
    assert not LedgerEntry.objects.filter(nano__lt=0).exists()


def test_e8_two_books_are_one_history_and_one_moment_has_one_price(viewer: Viewer) -> None:
    gpu()
    publish_prices(read_price_list(PRICES.replace("name: law", "name: contracted").replace("12.5", "10")), now_ms=HALF)
    names = [(p.name, p.from_ms, p.until_ms) for p in price_history()]
    assert names == [("law r1", 0, HALF), ("contracted r1", HALF, None)]


def test_l20_a_book_in_another_currency_is_refused(viewer: Viewer) -> None:
    gpu()
    with pytest.raises(BadPriceBook):
        publish_prices(read_price_list(PRICES.replace("CNY", "USD").replace("name: law", "name: usd")), now_ms=HALF)


def test_l20_a_list_keeps_the_one_rate_that_was_known_when_it_was_read(viewer: Viewer) -> None:
    """A gap in the rates is a refusal, never a rate of 1; a rate that becomes known later changes nothing."""
    asked = CloudList("cloud", "CNY", LIST, "test")
    with pytest.raises(BadPriceBook):
        read_cloud_list(asked, now_ms=HOUR)
    note_rate(ExchangeRate("USD", "CNY", HOUR, 7_000_000_000), "test")
    first = read_cloud_list(asked, now_ms=HALF)
    note_rate(ExchangeRate("USD", "CNY", HALF + 1, 8_000_000_000), "test")
    assert read_cloud_list(asked, now_ms=HALF) == first
    assert first.facts == {"exchange": [["USD", "CNY", HOUR, 7_000_000_000]]}


@pytest.mark.parametrize("bad", ["-1", "0.0000000001", "1e400", "NaN"])
def test_e8_an_amount_that_is_none_is_refused(bad: str) -> None:
    with pytest.raises((BadAmount, BadPriceBook)):
        read_price_list(PRICES.replace('"12.5"', f'"{bad}"'))


def test_e1_a_window_across_the_turn_of_a_month_is_cut_without_loss(viewer: Viewer) -> None:
    gpu(at_ms=DECEMBER - HOUR_MS)
    take(window(0, Interval(DECEMBER - 1, DECEMBER + 2), 10), now_ms=DECEMBER + HOUR_MS)
    book(DECEMBER - HOUR_MS, DECEMBER)
    assert [q(bucket="system", hour_ms=at) for at in (DECEMBER - HOUR_MS, DECEMBER)] == [3, 7]
    rows = list(focus_rows(viewer, from_ms=DECEMBER - HOUR_MS, to_ms=DECEMBER + HOUR_MS))
    periods = {(row["ChargePeriodStart"], row["BillingPeriodStart"], row["BillingPeriodEnd"]) for row in rows}
    assert sorted(periods) == [
        ("2026-11-30T23:00:00Z", "2026-11-01T00:00:00Z", "2026-12-01T00:00:00Z"),
        ("2026-12-01T00:00:00Z", "2026-12-01T00:00:00Z", "2027-01-01T00:00:00Z"),
    ]


@pytest.mark.parametrize("length_ms", [1, 1000])
def test_e1_an_interval_of_a_millisecond_counts(viewer: Viewer, length_ms: int) -> None:
    gpu()
    take(window(0, Interval(HOUR + 500, HOUR + 500 + length_ms), HBM * length_ms), window(1, WHOLE, 0, epoch="boot:0"))
    book()
    assert q(bucket="system") == HBM * length_ms


@pytest.mark.parametrize(
    "from_to", [(-1, 2 * HOUR_MS - 1), (1, 2 * HOUR_MS + 1), (999, 2 * HOUR_MS + 1), (1, 7_199_999)]
)
def test_e13_two_hours_are_billed_as_two_hours_to_the_millisecond(viewer: Viewer, from_to: tuple[int, int]) -> None:
    """The article's job of 2 h that read 1.5 h: its span in ms, across .999 and .001, is what is held."""
    span = Interval(HOUR + from_to[0], HOUR + from_to[1])
    device = gpu(at_ms=HOUR - HOUR_MS)
    assert viewer.default_project_id is not None
    row = job(viewer.default_project_id, viewer.organisation_id, span=span)
    holds(attempt(row, device), device, HBM, span)
    hours = [HOUR + k * HOUR_MS for k in range(-1, 3)]
    take(*(window(k, Interval(at, at + HOUR_MS), 0) for k, at in enumerate(hours)), now_ms=LATER + HOUR_MS)
    book(*hours)
    assert q(job_id=row.id) == HBM * (from_to[1] - from_to[0])
    assert nano(job_id=row.id) == price_nano(RATE, span)


def test_e4_quantities_beyond_sixty_three_bits_are_kept(viewer: Viewer) -> None:
    """An H100's bandwidth over an hour is 1.2e19 bytes/s x ms."""
    fast = 3_352 * 10**9
    gpu(hbm=fast)
    halves = [Interval(HOUR, HALF), Interval(HALF, WHOLE.end_ms)]
    take(*(window(k, half, fast * half.length_ms) for k, half in enumerate(halves)))
    book()
    assert q(bucket="system") == fast * HOUR_MS > 2**63


def test_e4_a_capacity_of_nothing_has_no_entry(viewer: Viewer) -> None:
    gpu()
    DeviceCapacity.objects.update(capacity_hbm_bandwidth=0)
    take(window(0, WHOLE, 5))
    book()
    assert not LedgerEntry.objects.filter(dimension="hbm_bandwidth").exists()
    assert nano() == price_nano(12_500_000_000, WHOLE)


@pytest.fixture
def cores(viewer: Viewer) -> Device:
    """Two cores of the node, priced, beside its GPU."""
    gpu(prices=CORES)
    device = Device.objects.create(uuid="cpu", node=Node.objects.get(), type="cpu", name="cores")
    DeviceCapacity.objects.create(device=device, valid_from_ms=HOUR, capacity_cpu_millicores=2000)
    return device


@settings(LAW, max_examples=8)
@given(steps=st.lists(st.integers(0, 2000 * 1000) | st.none(), min_size=1, max_size=8))
def test_l18_what_is_billed_of_a_counter_is_last_minus_first(
    viewer: Viewer, cores: Device, steps: list[int | None]
) -> None:
    """A report a second, some of them lost: the next speaks of all that was used since."""
    for _ in example():
        assert viewer.default_project_id is not None
        who = attempt(job(viewer.default_project_id, viewer.organisation_id), cores)
        holds(who, cores, 2000, WHOLE, "cpu_millicores")
        total, since = 0, 0
        for second, step in enumerate([*steps, 1]):
            if step is None:
                continue
            span = Interval(HOUR + since * 1000, HOUR + (second + 1) * 1000)
            usage = {"cpu_millicores": Usage(step, "measured", "measured")}
            mine = AttemptUsage(str(who.id), "cpu", usage, span.start_ms, span.end_ms)
            take(Frame("boot:1", second, span.end_ms - 1000, span.end_ms, (), (mine,)))
            total, since = total + step, second + 1
        book()
        entries = LedgerEntry.objects.filter(dimension="cpu_millicores", bucket="used")
        assert int(entries.aggregate(n=Sum("q"))["n"] or 0) == total


def test_a_report_that_nothing_could_be_seen_is_a_gap_and_not_idleness(viewer: Viewer, cores: Device) -> None:
    """The node is watched all the hour; of the attempt's second half the agent says that it could not read it."""
    assert viewer.default_project_id is not None
    who = attempt(job(viewer.default_project_id, viewer.organisation_id), cores)
    holds(who, cores, 2000, WHOLE, "cpu_millicores")
    seen, blind = Usage(1000, "measured", "measured"), Usage(None, "measured", "missing", reason="unreadable")
    for seq, (span, usage) in enumerate(((Interval(HOUR, HALF), seen), (Interval(HALF, WHOLE.end_ms), blind))):
        mine = AttemptUsage(str(who.id), "cpu", {"cpu_millicores": usage}, span.start_ms, span.end_ms)
        take(Frame("boot:1", seq, span.start_ms, span.end_ms, (), (mine,)))
    book()
    unmetered = nano(dimension="cpu_millicores", bucket="unmetered")
    assert unmetered == price_nano(2_000_000_000, Interval(HALF, WHOLE.end_ms))
