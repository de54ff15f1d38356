"""Money inside an hour: the parts of any cut sum to the hour, and what is not booked is not zero."""

from hypothesis import given
from hypothesis import strategies as st

from alldata.kernel.intervals import HOUR_MS, Interval
from costing.rating import Piece
from costing.rating.shares import Stretch, shares, stretches

HELD = Interval(HOUR_MS - 90_000, 2 * HOUR_MS + 30_000)
lengths = st.lists(st.integers(1, 400_000), min_size=1, max_size=40)


def windows(spans: list[int], q: int = 7) -> list[tuple[Piece, str, str]]:
    """Windows one after the other from before the claim, each with `q` a millisecond."""
    found, at = [], HELD.start_ms - 20_000
    for length in spans:
        found.append((Piece(Interval(at, at + length), q * length), "measured", "cgroup"))
        at += length
    return found


@given(lengths)
def test_a_claim_is_covered_once_and_cut_at_hours(spans: list[int]) -> None:
    found = stretches(HELD, 10, "d", windows(spans))
    assert [s.span.end_ms for s in found[:-1]] == [s.span.start_ms for s in found[1:]]
    assert (found[0].span.start_ms, found[-1].span.end_ms) == (HELD.start_ms, HELD.end_ms)
    assert all(s.span.end_ms <= s.hour_ms + HOUR_MS for s in found)


@given(lengths, st.integers(0, 10**12), st.integers(0, 10**12))
def test_the_parts_of_an_hour_sum_to_it(spans: list[int], used: int, idle: int) -> None:
    found = stretches(HELD, 10, "d", windows(spans))
    hours = dict.fromkeys({s.hour_ms for s in found}, (used, idle))
    divided = shares(found, hours)
    assert sum(s.used_nano or 0 for s in divided) == used * len(hours)
    assert sum(s.idle_nano or 0 for s in divided) == idle * len(hours)


def test_used_money_follows_what_was_used() -> None:
    found = [Stretch(Interval(at, at + 1), "d", 4, q, "measured") for at, q in ((0, 1), (1, 3), (2, 0))]
    assert [(s.used_nano, s.idle_nano) for s in shares(found, {0: (400, 800)})] == [(100, 300), (300, 100), (0, 400)]


def test_an_hour_that_is_not_booked_has_no_money_yet() -> None:
    (share,) = shares([Stretch(Interval(0, 1), "d", 4, 2)], {})
    assert (share.used_nano, share.idle_nano) == (None, None)


def test_what_nobody_measured_is_not_zero() -> None:
    (gap,) = stretches(Interval(0, 1000), 10, "d", [])
    assert (gap.q, gap.quality) == (None, "missing")
