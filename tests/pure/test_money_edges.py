"""Odd values, odd currencies and what is shown of them (L20, E4, E12, E13)."""

import csv
import io
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from alldata.agent.sample import Reading, Sampler
from alldata.agent.wire import Usage
from alldata.kernel.intervals import HOUR_MS, Interval
from costing.api.csv_text import csv_text
from costing.pricing.display import amount_text, minor, shown_minor, shown_permille
from costing.pricing.exchange import RATE_SCALE, ExchangeRate, converted, rate_at
from costing.rating import Bucket, Evidence, Piece, Slice, rate_slice

NANO = 10**9
HOUR = Interval(HOUR_MS, 2 * HOUR_MS)
RATES = st.builds(ExchangeRate, st.just("USD"), st.just("CNY"), st.integers(0, 100), st.integers(1, 10**12))
H100 = 3_352 * 10**9


@given(st.lists(st.integers(0, 10**15), max_size=9), RATES)
def test_l20_a_sum_is_converted_once(nanos: list[int], rate: ExchangeRate) -> None:
    """Within half a nano of the exact amount, however many rows; row by row it may be half a nano a row."""
    exact = Fraction(sum(nanos) * rate.nano_per_unit, RATE_SCALE)
    assert abs(converted(sum(nanos), rate) - exact) <= Fraction(1, 2)
    assert abs(sum(converted(nano, rate) for nano in nanos) - exact) <= Fraction(len(nanos), 2)


@given(st.lists(RATES, min_size=1, max_size=6), st.lists(RATES, max_size=6), st.integers(0, 100))
def test_l20_a_moment_has_one_rate_whatever_becomes_known_later(
    known: list[ExchangeRate], later: list[ExchangeRate], at_ms: int
) -> None:
    before = [r for r in known if r.as_of_ms <= at_ms]
    after = [ExchangeRate("USD", "CNY", at_ms + 1 + r.as_of_ms, r.nano_per_unit) for r in later]
    other = ExchangeRate("EUR", "CNY", at_ms, 1)
    assert rate_at([*after, *known, other], "USD", "CNY", at_ms) == rate_at(known, "USD", "CNY", at_ms)
    assert (rate_at(known, "USD", "CNY", at_ms) is None) == (not before)


@given(st.integers(0, 10**15))
def test_l20_an_amount_in_its_own_currency_is_itself(nano: int) -> None:
    same = rate_at([], "CNY", "CNY", 0)
    assert same is not None and converted(nano, same) == nano


def used(capacity: int, q: int) -> dict[Bucket, int]:
    lines = rate_slice(Slice(HOUR, capacity, 10**9), Evidence(used={"a": [Piece(HOUR, q)]}))
    return {line.bucket: line.q for line in lines}


def test_e4_a_card_rated_too_high_never_looks_full_and_one_rated_right_does() -> None:
    """1555 GB/s is what an A100-40 can do; with 2039 of the 80 GB part it would stop at 76 %."""
    busy = 1_555 * 10**9 * HOUR_MS
    assert used(1_555 * 10**9, busy) == {Bucket.USED: busy}
    assert used(2_039 * 10**9, busy)[Bucket.UNALLOCATED_IDLE] == (2_039 - 1_555) * 10**9 * HOUR_MS


@pytest.mark.parametrize("percent", [100, 105, 200])
def test_e4_more_than_everything_is_everything(percent: int) -> None:
    assert used(1000, 10 * percent * HOUR_MS) == {Bucket.USED: 1000 * HOUR_MS}


def test_e4_an_hour_of_an_h100_does_not_fit_sixty_three_bits_and_is_exact() -> None:
    assert used(H100, H100 * HOUR_MS - 1) == {Bucket.USED: H100 * HOUR_MS - 1, Bucket.UNALLOCATED_IDLE: 1}
    assert H100 * HOUR_MS > 2**63


@pytest.mark.parametrize(
    ("nanos", "currency", "shown"),
    [
        ([NANO, NANO, NANO], "CNY", [100, 100, 100]),
        ([NANO // 3] * 3, "CNY", [34, 33, 33]),
        ([NANO // 2] * 3, "JPY", [1, 1, 0]),
        ([NANO // 3] * 3, "KRW", [1, 0, 0]),
        ([10**18, 1], "USD", [10**11, 0]),
        ([0, 0], "CNY", [0, 0]),
    ],
)
def test_e12_shown_rows_add_up_to_the_shown_total(nanos: list[int], currency: str, shown: list[int]) -> None:
    assert shown_minor(nanos, currency) == shown
    assert sum(shown) == minor(sum(nanos), currency)


def test_e12_percents_of_nothing_are_nothing_and_of_thirds_a_hundred() -> None:
    assert shown_permille([0, 0]) == [0, 0]
    assert shown_permille([1, 1, 1]) == [334, 333, 333]


def test_e12_equal_rows_keep_their_order() -> None:
    assert [shown_permille([5] * n) for n in (3, 6)] == [[334, 333, 333], [167, 167, 167, 167, 166, 166]]


def test_e12_what_rounds_to_nothing_is_not_shown_as_free() -> None:
    texts = [amount_text(minor(n, c), n, c) for n, c in ((4_000_000, "CNY"), (1, "KWD"), (499_999_999, "JPY"))]
    assert texts == ["<0.01", "<0.001", "<1"]


CELLS = st.text("ab=+-@\t,\"'é", max_size=8)


@given(st.lists(CELLS, min_size=1, max_size=4), st.booleans())
def test_e12_a_csv_reads_back_and_runs_nothing(cells: list[str], bom: bool) -> None:
    text = csv_text([f"c{k}" for k in range(len(cells))], [cells], bom=bom)
    assert text.startswith("\ufeff") == bom
    (row,) = list(csv.reader(io.StringIO(text.removeprefix("\ufeff"))))[1:] or [[]]
    assert [cell.removeprefix("'") if cell != told else cell for cell, told in zip(row, cells, strict=True)] == cells
    assert not any(cell[:1] in ("=", "+", "-", "@", "\t") for cell in row)


def look(sampler: Sampler, at_ms: int, level: int, counter: int) -> None:
    sampler.look(
        {
            ("GPU", "gpu_sm"): Reading(level, False, "driver", "proxy"),
            ("GPU", "gpu_sm_cycles"): Reading(counter, True, "driver", "measured"),
        },
        at_ms,
    )


def watched(period_ms: int, busy_ms: int, looks: list[int]) -> dict[str, Usage]:
    """A load that is busy for the first part of each period, looked at by point and by counter (ppm)."""

    def done(at_ms: int) -> int:
        return (at_ms // period_ms * busy_ms + min(at_ms % period_ms, busy_ms)) * 1_000_000

    sampler = Sampler()
    for at_ms in looks:
        look(sampler, at_ms, 1_000_000 if at_ms % period_ms < busy_ms else 0, done(at_ms))
    return dict(sampler.peek()[0].dims)


def share(usage: Usage) -> float:
    assert usage.q is not None and usage.coverage_ms
    return usage.q / usage.coverage_ms / 1_000_000


def test_e10_a_load_of_a_fifth_looks_full_by_point_and_is_a_fifth_by_counter() -> None:
    """200 ms periods, 20 % busy, a look a second: every look meets the busy part."""
    seen = watched(200, 40, [k * 1000 for k in range(61)])
    assert (share(seen["gpu_sm"]), share(seen["gpu_sm_cycles"])) == (1.0, 0.2)


def test_e13_95_and_65_percent_of_the_same_hour_and_which_is_which() -> None:
    """The article's two answers: looks that mostly meet the busy part, and a counter that met it all."""
    looks = [k * 1000 + (700 if k % 20 == 10 else 0) for k in range(201)]
    seen = watched(1000, 650, looks)
    assert (round(share(seen["gpu_sm"]), 2), round(share(seen["gpu_sm_cycles"]), 2)) == (0.95, 0.65)
    assert (seen["gpu_sm"].quality, seen["gpu_sm_cycles"].quality) == ("proxy", "measured")
