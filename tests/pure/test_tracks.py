"""A device's windows: sums over any cuts are the same, and its holders share it without a copy."""

from itertools import pairwise
from random import Random

from hypothesis import given
from hypothesis import strategies as st

from alldata.kernel.intervals import HOUR_MS, Interval
from costing.rating import Holding, Piece, Sharers, Track, clipped, divided

HOUR = Interval(HOUR_MS, 2 * HOUR_MS)
CAPACITY = 2_039_000_000_000


@st.composite
def tracks(draw: st.DrawFn) -> Track:
    """Disjoint windows in order, some with more than the capacity could do."""
    marks = sorted(draw(st.sets(st.integers(HOUR_MS - 5000, 2 * HOUR_MS + 5000), min_size=2, max_size=12)))
    spans = [span for span in pairwise(marks) if draw(st.booleans())]
    q = [draw(st.integers(0, 2 * CAPACITY * (end - start))) for start, end in spans]
    return Track([start for start, _ in spans], [end for _, end in spans], q)


@st.composite
def holdings(draw: st.DrawFn) -> list[Holding]:
    found = []
    for attempt in draw(st.lists(st.sampled_from("abc"), max_size=4)):
        start = draw(st.integers(HOUR_MS, 2 * HOUR_MS - 1))
        found.append(
            Holding(attempt, draw(st.integers(1, 10**6)), Interval(start, draw(st.integers(start + 1, 2 * HOUR_MS))))
        )
    return found


@given(tracks())
def test_a_track_is_the_sum_of_its_clamped_windows(track: Track) -> None:
    windows = zip(track.starts, track.ends, track.q, strict=True)
    exact = sum(clipped(Piece(Interval(s, e), min(q, CAPACITY * (e - s))), HOUR) for s, e, q in windows)
    assert track.within(HOUR, CAPACITY) == exact


@given(tracks(), st.sets(st.integers(HOUR_MS + 1, 2 * HOUR_MS - 1), max_size=5))
def test_cutting_the_span_loses_nothing(track: Track, cuts: set[int]) -> None:
    edges = sorted({HOUR.start_ms, HOUR.end_ms, *cuts})
    parts = [track.within(Interval(a, b), CAPACITY) for a, b in pairwise(edges)]
    assert sum(parts) == track.within(HOUR, CAPACITY)


@given(tracks(), holdings())
def test_a_device_is_divided_among_its_holders_and_never_copied(track: Track, held: list[Holding]) -> None:
    """L8: the sum over co-tenants is at most the device, which is at most its capacity."""
    shares = divided(track, Sharers(held), HOUR, CAPACITY)
    assert min(shares.values(), default=0) >= 0
    assert sum(shares.values()) <= track.within(HOUR, CAPACITY) <= CAPACITY * HOUR_MS


@given(tracks(), holdings(), st.randoms())
def test_the_order_of_claims_does_not_matter(track: Track, held: list[Holding], random: Random) -> None:
    shuffled = list(held)
    random.shuffle(shuffled)
    assert divided(track, Sharers(shuffled), HOUR, CAPACITY) == divided(track, Sharers(held), HOUR, CAPACITY)


def test_equal_holders_get_equal_shares_of_a_busy_second() -> None:
    track = Track([HOUR_MS], [HOUR_MS + 1000], [1500 * 10**9 * 1000])
    both = [Holding(key, 1, HOUR) for key in ("a", "b")]
    assert divided(track, Sharers(both), HOUR, CAPACITY) == {"a": 750 * 10**12, "b": 750 * 10**12}


PIECES = st.builds(
    lambda start, length, q: Piece(Interval(start, start + length), q),
    st.integers(HOUR_MS, 2 * HOUR_MS - 1),
    st.integers(1, HOUR_MS),
    st.integers(0, CAPACITY * HOUR_MS),
)
TOLD = st.dictionaries(st.sampled_from("abcd"), st.lists(PIECES, min_size=1, max_size=3), max_size=3)


@given(tracks(), holdings(), holdings(), TOLD)
def test_what_is_told_of_attempts_never_exceeds_the_device(
    track: Track, held: list[Holding], beside: list[Holding], told: dict[str, list[Piece]]
) -> None:
    """L8, whoever holds the capability, anything else of the device, or is only told of."""
    shares = divided(track, Sharers(held, beside, told), HOUR, CAPACITY)
    assert min(shares.values(), default=0) >= 0
    assert sum(shares.values()) <= track.within(HOUR, CAPACITY)
    assert shares.keys() <= {h.attempt for h in (*held, *beside)} | told.keys()


def test_the_one_who_has_a_card_alone_has_all_it_did_and_two_have_what_is_told() -> None:
    track = Track([HOUR_MS, HOUR_MS + 1000], [HOUR_MS + 1000, HOUR_MS + 2000], [700, 900])
    alone, both = (
        Holding("a", 1, Interval(HOUR_MS, 2 * HOUR_MS)),
        Holding("b", 1, Interval(HOUR_MS + 1000, 2 * HOUR_MS)),
    )
    told = {"a": [Piece(Interval(HOUR_MS + 1000, HOUR_MS + 2000), 600)]}
    assert divided(track, Sharers([alone, both], (), told), HOUR, CAPACITY) == {"a": 700 + 600, "b": 300}
