"""Prices to the last nano: depreciation, cloud lists, exchange, what is shown (L5, L10, L13, L20, E12)."""

from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from alldata.kernel.intervals import HOUR_MS, Interval
from costing.pricing import PriceLine, capability_rates, device_rate
from costing.pricing.cloud import BadRow, Instance, parts_of, read_list
from costing.pricing.display import amount_text, minor, shown_minor, shown_permille, unit_text
from costing.pricing.exchange import ExchangeRate, converted, rate_at
from costing.pricing.focus import month_of, plain, ratios, stamp
from costing.pricing.own import Asset, Power, Running, energy_nano, own_rate, power_rate, schedule
from costing.rating import Evidence, Holding, Piece, Slice, rate_slice

NANO = 10**9
METHODS = ("straight", "declining", "sum_of_years")
HEADER = "instance,gpu_model,gpus,vcpus,memory_gib,storage_gib,hourly,currency\n"
AMOUNTS = st.integers(0, 10**18)


@given(AMOUNTS, st.integers(0, 10**17), st.integers(1, 120), st.sampled_from(METHODS))
def test_a_schedule_sums_to_what_the_device_loses(capex: int, salvage: int, months: int, method: str) -> None:
    asset = Asset(capex, min(capex, salvage), months, method)  # type: ignore[arg-type]
    parts = schedule(asset)
    assert (len(parts), sum(parts)) == (months, asset.capex_nano - asset.salvage_nano)
    assert min(parts) >= 0


def test_a_rate_divides_by_hours_in_service() -> None:
    asset, running = Asset(73_000 * NANO, 1000 * NANO, 36), Running(100 * NANO, 50 * NANO, 50 * NANO, 730)
    assert own_rate(asset, running) == round((2000 + 200) * NANO / 730)
    assert own_rate(asset, running, month=40) == round(200 * NANO / 730)


def test_energy_is_measured_joules_times_pue_times_tariff() -> None:
    power = Power(1_300_000, 800_000_000)
    assert energy_nano(3_600_000_000, power) == 1_040_000_000
    assert power_rate(400_000, power) == 416_000_000


@given(st.integers(0, 10**15), st.integers(0, 16), *[st.integers(1, 512)] * 3)
def test_the_parts_of_an_instance_are_its_price(price: int, gpus: int, vcpus: int, memory: int, storage: int) -> None:
    parts = parts_of(Instance("i", "A100", gpus, vcpus, memory, storage, price, "USD"))
    assert parts.one_gpu * gpus + parts.cpu + parts.memory + parts.storage == price
    assert min(parts.one_gpu, parts.cpu, parts.memory, parts.storage) >= 0


def test_a_list_is_read_with_its_byte_order_mark() -> None:
    found = read_list("\ufeff" + HEADER + 'p4d,"A100, SXM",8,96,1152,8000,32.7726,usd\n')
    assert found == [Instance("p4d", "A100, SXM", 8, 96, 1152, 8000, 32_772_600_000, "USD")]


@pytest.mark.parametrize("row", ["a,,x,1,1,1,1,USD", "a,,0,0,1,1,1,USD", "a,,0,1,1,1,1,US", "a,,0,1,1,1,-1,USD"])
def test_a_bad_row_is_named(row: str) -> None:
    with pytest.raises(BadRow) as refusal:
        read_list(HEADER + row + "\n")
    assert refusal.value.line == 2


@given(st.integers(0, 10**13), st.dictionaries(st.sampled_from("abcdef"), st.integers(0, 10**6), min_size=1))
def test_capability_rates_sum_to_the_device(rate: int, weights: dict[str, int]) -> None:
    line = PriceLine("gpu", "", "", 1, rate, weights)
    rates = capability_rates(line, dict.fromkeys(weights, 1))
    assert sum(rates.values()) == (device_rate(line, {}) if any(weights.values()) else 0)


def test_the_newest_known_rate_counts_and_a_gap_is_not_one() -> None:
    rates = [ExchangeRate("USD", "CNY", at, nano) for at, nano in ((100, 7 * NANO), (200, 71 * NANO // 10))]
    assert rate_at(rates, "USD", "CNY", 99) is None
    assert rate_at(rates, "CNY", "USD", 300) is None
    newest = rate_at(rates, "USD", "CNY", 300)
    assert newest is not None and converted(3 * NANO, newest) == 21_300_000_000


def test_the_articles_table_shows_and_sums() -> None:
    nanos = [8_210_000_000, 7_150_000_000, 1_920_000_000, 1_450_000_000]
    assert (shown_minor(nanos, "CNY"), sum(nanos)) == ([821, 715, 192, 145], 18_730_000_000)
    assert shown_permille(nanos) == [438, 382, 103, 77]


@given(st.lists(st.integers(0, 10**20), max_size=20), st.sampled_from(["CNY", "JPY", "KWD"]))
def test_what_is_shown_sums_to_the_total_that_is_shown(nanos: list[int], currency: str) -> None:
    assert sum(shown_minor(nanos, currency)) == (minor(sum(nanos), currency) if nanos else 0)
    assert sum(shown_permille(nanos)) == (1000 if any(nanos) else 0)


@pytest.mark.parametrize(
    ("nano", "currency", "text"),
    [(4_000_000, "CNY", "<0.01"), (0, "CNY", "0.00"), (400_000_000, "JPY", "<1"), (10**18, "CNY", "1000000000.00")],
)
def test_small_and_large_amounts_read_right(nano: int, currency: str, text: str) -> None:
    assert amount_text(minor(nano, currency), nano, currency) == text


@given(st.integers(0, 10**15), st.integers(1, 10**12))
def test_a_unit_that_costs_something_never_reads_as_free(nano: int, count: int) -> None:
    exact = Fraction(nano, count)
    text = Decimal(unit_text(exact))
    assert (text == 0) == (nano == 0)
    assert abs(Fraction(text) * NANO - exact) <= max(Fraction(1), exact / 100) if exact >= 1 else True
    assert exact >= 1 or abs(Fraction(text) * NANO - exact) <= exact / 100


def test_a_thousandth_of_a_nano_has_its_digits() -> None:
    assert [unit_text(Fraction(n, 3000)) for n in (0, 1, 3000, 4_500_000_000_000)] == [
        "0.00",
        "0.000000000000333",
        "0.000000001",
        "1.50",
    ]


@given(st.integers(1, 7), st.integers(10**6, 10**9))
def test_twice_the_use_is_twice_the_price(times: int, use: int) -> None:
    """L10: used scales with what was measured, and units leave the money alone."""
    span = Interval(0, HOUR_MS)

    def used(q: int, capacity: int) -> int:
        held = Evidence([Holding("a", capacity, span)], {"a": [Piece(span, q)]}, {"a": [span]})
        return next(line.nano for line in rate_slice(Slice(span, capacity, 10**13), held) if line.bucket == "used")

    one = used(use * HOUR_MS, 10**10)
    assert abs(used(times * use * HOUR_MS, 10**10) - times * one) <= times
    assert used(use * HOUR_MS * 1000, 10**13) == one


@given(st.lists(st.integers(0, 10**12), min_size=1, max_size=9))
def test_ratios_sum_to_exactly_one(nanos: list[int]) -> None:
    assert sum(map(Fraction, ratios(nanos))) == 1


def test_months_and_stamps_are_utc() -> None:
    start, end = month_of(1_798_761_599_999)
    assert (stamp(start), stamp(end)) == ("2026-12-01T00:00:00Z", "2027-01-01T00:00:00Z")
    assert [plain(Decimal(text)) for text in ("0.000", "1E+3", "1.50")] == ["0", "1000", "1.5"]
