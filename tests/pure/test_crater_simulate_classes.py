"""The allotment to classes is the best there is; sharing and admission keep their promises."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scheduling.crater.allot import WAITS, allot
from scheduling.crater.moves import Floats, Ints, TooManyClasses


@st.composite
def markets(draw: st.DrawFn) -> tuple[Floats, Ints]:
    """Up to five jobs and three classes; some jobs cannot run on some classes."""
    jobs, classes = draw(st.integers(0, 5)), draw(st.integers(1, 3))
    rows = draw(st.lists(st.lists(st.integers(0, 9), min_size=classes, max_size=classes), min_size=jobs, max_size=jobs))
    slots = draw(st.lists(st.integers(0, 3), min_size=classes, max_size=classes))
    return np.array(rows, dtype=float).reshape(jobs, classes), np.array(slots)


def value(worth: Floats, chosen: Ints) -> float:
    return float(sum(worth[job, where] for job, where in enumerate(chosen) if where != WAITS))


def best(worth: Floats, slots: Ints) -> float:
    """Every allotment, tried by brute force."""
    found = 0.0
    for chosen in product(range(-1, len(slots)), repeat=len(worth)):
        if all(chosen.count(where) <= slots[where] for where in range(len(slots))):
            found = max(found, value(worth, np.array(chosen, dtype=np.int64)))
    return found


@settings(max_examples=200, deadline=None)
@given(markets())
def test_no_allotment_is_worth_more(market: tuple[Floats, Ints]) -> None:
    worth, slots = market
    chosen = allot(worth, slots, np.full(len(worth), WAITS))
    assert value(worth, chosen) == best(worth, slots)
    assert all((chosen == where).sum() <= slots[where] for where in range(len(slots)))
    assert all(worth[job, where] > 0 for job, where in enumerate(chosen) if where != WAITS)


@settings(max_examples=100, deadline=None)
@given(markets())
def test_the_best_allotment_stays_as_it_is(market: tuple[Floats, Ints]) -> None:
    worth, slots = market
    chosen = allot(worth, slots, np.full(len(worth), WAITS))
    assert (allot(worth, slots, chosen) == chosen).all()


def test_too_many_classes_are_refused() -> None:
    with pytest.raises(TooManyClasses):
        allot(np.ones((1, 9)), np.ones(9, dtype=np.int64), np.array([WAITS]))
