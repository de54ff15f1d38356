"""The laws of dividing money: parts sum, none is negative, order and duplicates do not matter."""

from collections.abc import Iterable
from random import Random
from typing import TypeVar

from hypothesis import given
from hypothesis import strategies as st

from alldata.kernel.intervals import HOUR_MS, Interval
from costing.rating import (
    Bucket,
    Evidence,
    Holding,
    Line,
    Piece,
    Slice,
    bridged,
    clipped,
    gaps,
    price_nano,
    rate_slice,
    resolved,
)

T = TypeVar("T")
HOUR = Interval(HOUR_MS, 2 * HOUR_MS)
KEYS = ("a", "b", "c")


@st.composite
def spans(draw: st.DrawFn, low: int = HOUR_MS - 1000, high: int = 2 * HOUR_MS + 1000) -> Interval:
    start = draw(st.integers(low, high - 1))
    return Interval(start, draw(st.integers(start + 1, high)))


PIECES = st.lists(st.builds(Piece, spans(), st.integers(0, 10**16)), max_size=4)


@st.composite
def evidences(draw: st.DrawFn) -> Evidence:
    return Evidence(
        holdings=draw(st.lists(st.builds(Holding, st.sampled_from(KEYS), st.integers(1, 10**9), spans()), max_size=5)),
        used=draw(st.dictionaries(st.sampled_from(KEYS), PIECES, max_size=3)),
        covered=draw(st.dictionaries(st.sampled_from(KEYS), st.lists(spans(), max_size=3), max_size=3)),
        device=draw(PIECES),
        down=draw(st.lists(spans(), max_size=2)),
    )


CAPACITIES = st.integers(1, 4 * 10**12)
SLICES = st.builds(Slice, spans(HOUR_MS, 2 * HOUR_MS), CAPACITIES, st.integers(0, 10**12))


def bucket_nano(lines: list[Line], bucket: Bucket) -> int:
    return sum(line.nano for line in lines if line.bucket is bucket)


@given(SLICES, evidences())
def test_buckets_sum_to_the_capacity_price_and_quantity(part: Slice, evidence: Evidence) -> None:
    lines = rate_slice(part, evidence)
    assert sum(line.nano for line in lines) == price_nano(part.nano_per_hour, part.span)
    assert sum(line.q for line in lines) == part.quantity


@given(SLICES, evidences())
def test_no_bucket_is_negative(part: Slice, evidence: Evidence) -> None:
    assert all(line.nano >= 0 and line.q >= 0 for line in rate_slice(part, evidence))


@given(SLICES, evidences())
def test_each_amount_is_within_one_nano_of_the_exact_share(part: Slice, evidence: Evidence) -> None:
    price = price_nano(part.nano_per_hour, part.span)
    for line in rate_slice(part, evidence):
        assert abs(line.nano * part.quantity - price * line.q) < part.quantity


@given(SLICES, evidences(), st.randoms(use_true_random=False))
def test_the_order_of_the_evidence_does_not_matter(part: Slice, evidence: Evidence, random: Random) -> None:
    def shuffled(items: Iterable[T]) -> list[T]:
        known = list(items)
        return random.sample(known, len(known))

    other = Evidence(
        holdings=shuffled(evidence.holdings),
        used={key: shuffled(evidence.used[key]) for key in shuffled(evidence.used)},
        covered={key: shuffled(evidence.covered[key]) for key in shuffled(evidence.covered)},
        device=shuffled(evidence.device),
        down=shuffled(evidence.down),
    )
    assert rate_slice(part, other) == rate_slice(part, evidence)


@given(st.integers(0, 10**13), spans(), st.data())
def test_the_price_of_parts_is_the_price_of_the_whole(rate: int, span: Interval, data: st.DataObject) -> None:
    cut = data.draw(st.integers(span.start_ms + 1, span.end_ms)) if span.length_ms > 1 else span.end_ms
    parts = [Interval(span.start_ms, cut)] + ([Interval(cut, span.end_ms)] if cut < span.end_ms else [])
    assert sum(price_nano(rate, part) for part in parts) == price_nano(rate, span)


@given(spans(), st.integers(0, 10**18), st.data())
def test_cutting_a_piece_loses_nothing(span: Interval, q: int, data: st.DataObject) -> None:
    cut = data.draw(st.integers(HOUR_MS - 2000, 2 * HOUR_MS + 2000))
    around = Interval(0, cut), Interval(cut, 10 * HOUR_MS)
    assert sum(clipped(Piece(span, q), part) for part in around) == q


@given(st.lists(st.tuples(st.tuples(st.sampled_from("xy"), st.integers(0, 9)), spans()), max_size=6))
def test_overlapping_windows_leave_disjoint_time(windows: list[tuple[tuple[str, int], Interval]]) -> None:
    kept = [span for spans_ in resolved(windows) for span in spans_]
    known = sum(span.length_ms for span in kept)
    whole = Interval(0, 3 * HOUR_MS)
    assert known == whole.length_ms - sum(gap.length_ms for gap in gaps([w for _, w in windows], whole))


def test_one_second_at_1500_of_2039_gb_per_second_costs_what_the_article_says() -> None:
    second = Slice(Interval(0, 1000), 2_039_000_000_000, 12_500_000_000)
    used = {"a": [Piece(second.span, 1_500_000_000_000 * 1000)]}
    lines = rate_slice(second, Evidence(used=used))
    assert price_nano(second.nano_per_hour, second.span) == 3_472_222
    assert bucket_nano(lines, Bucket.USED) == 2_554_357
    assert bucket_nano(lines, Bucket.UNALLOCATED_IDLE) == 917_865


def test_a_gap_in_what_is_known_is_unmetered_not_idle() -> None:
    part = Slice(HOUR, 1000, 3_600_000)
    held = [Holding("a", 1000, HOUR)]
    half = Interval(HOUR.start_ms, HOUR.start_ms + HOUR_MS // 2)
    lines = rate_slice(part, Evidence(held, {"a": [Piece(half, 0)]}, {"a": [half]}))
    assert {(line.bucket, line.nano) for line in lines} == {
        (Bucket.ALLOCATED_IDLE, 1_800_000),
        (Bucket.UNMETERED, 1_800_000),
    }


def test_a_burst_above_ones_share_comes_out_of_the_others_idle() -> None:
    held = [Holding("a", 500, HOUR), Holding("b", 500, HOUR)]
    used = {"a": [Piece(HOUR, 700 * HOUR_MS)], "b": [Piece(HOUR, 100 * HOUR_MS)]}
    lines = rate_slice(Slice(HOUR, 1000, 1000), Evidence(held, used, {"a": [HOUR], "b": [HOUR]}))
    found = {(line.bucket, line.attempt): line.nano for line in lines}
    assert found == {(Bucket.USED, "a"): 700, (Bucket.USED, "b"): 100, (Bucket.ALLOCATED_IDLE, "b"): 200}


def test_usage_above_capacity_is_clamped() -> None:
    lines = rate_slice(Slice(HOUR, 1000, 1000), Evidence(used={"a": [Piece(HOUR, 5000 * HOUR_MS)]}))
    assert lines == [Line(Bucket.USED, "a", 1000 * HOUR_MS, 1000)]


def test_usage_of_nobody_is_the_systems() -> None:
    lines = rate_slice(Slice(HOUR, 1000, 1000), Evidence(device=[Piece(HOUR, 300 * HOUR_MS)]))
    assert {(line.bucket, line.nano) for line in lines} == {(Bucket.SYSTEM, 300), (Bucket.UNALLOCATED_IDLE, 700)}


def test_a_dead_device_is_unavailable_not_idle() -> None:
    lines = rate_slice(Slice(HOUR, 1000, 1000), Evidence(down=[HOUR]))
    assert lines == [Line(Bucket.UNAVAILABLE, None, 1000 * HOUR_MS, 1000)]


def test_short_gaps_hold_the_last_value_and_long_ones_do_not() -> None:
    windows = [Interval(0, 1000), Interval(3000, 4000), Interval(6001, 7000)]
    assert bridged(windows) == [Interval(0, 4000), Interval(6001, 7000)]
