"""A counter's windows come to its growth, and a counter that falls loses that step and no more (L18, E3)."""

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from alldata.agent.sample import Reading, Sampler

SLOT = ("d", "x")
VALUES = st.lists(st.none() | st.integers(0, 2**64), min_size=2, max_size=12)


def windows(values: list[int | None], closed: list[bool]) -> tuple[int, int]:
    """(sum of q, sum of coverage) of windows that are closed after some of the looks, one look a second."""
    sampler, q, seen = Sampler(), 0, 0
    for at_s, value in enumerate(values):
        sampler.look({SLOT: Reading(value, True)}, at_s * 1000)
        if closed[at_s] or at_s == len(values) - 1:
            usage = sampler.peek()[0].dims["x"]
            q, seen = q + (usage.q or 0), seen + (usage.coverage_ms or 0)
            sampler.clear()
    return q, seen


@given(st.lists(st.integers(0, 2**40), min_size=2, max_size=12), st.data())
def test_l18_the_windows_of_an_epoch_are_last_minus_first(steps: list[int], data: st.DataObject) -> None:
    values: list[int | None] = [sum(steps[: k + 1]) for k in range(len(steps))]
    closed = data.draw(st.lists(st.booleans(), min_size=len(values), max_size=len(values)))
    assert windows(values, closed) == (sum(steps[1:]), 1000 * (len(steps) - 1))


@given(VALUES, st.data())
def test_e3_resets_wraps_and_gaps_lose_their_step_and_nothing_else(
    values: list[int | None], data: st.DataObject
) -> None:
    """A counter that falls (reset, wrap, reload, another card) or is not read gives a gap; never a negative amount."""
    closed = data.draw(st.lists(st.booleans(), min_size=len(values), max_size=len(values)))
    known = [(a, b) for a, b in pairwise(values) if a is not None and b is not None and b >= a]
    assert windows(values, closed) == (sum(b - a for a, b in known), 1000 * len(known))


@given(st.integers(1, 10**9), st.integers(1, 10**9))
def test_e3_a_new_epoch_has_no_growth_across_its_start(before: int, after: int) -> None:
    """An agent that starts again only sets the baseline: what the counter did meanwhile is a gap."""
    first = windows([before, before + 5], [False, True])
    second = windows([before + 5 + after, before + 5 + after + 7], [False, True])
    assert (first[0], second[0]) == (5, 7)
