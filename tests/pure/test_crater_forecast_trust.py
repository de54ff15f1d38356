"""Probabilities that mean what they say."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from scheduling.crater.experience import Experience
from scheduling.crater.trust import EVERY, Trust, monotone


def test_the_time_people_allow_is_evidence() -> None:
    experience = Experience()
    for _ in range(40):
        experience.finished("k", 1_000, 1_200)
        experience.finished("k", 100_000, 120_000)
    runtime = experience.runtime("k", 1_200)
    assert runtime is not None and runtime.p50_ms == 1_000
    assert (experience.chance("k", 1_200, 1_100) or 0) > 0.9 > 0.2 > (experience.chance("k", 120_000, 1_100) or 0)


def test_without_experience_nothing_is_promised() -> None:
    assert Experience().chance("k", 10, 10) is None


@given(st.lists(st.tuples(st.floats(0, 1), st.booleans()), min_size=1, max_size=200))
def test_trust_never_falls_with_the_raw_promise(rows: list[tuple[float, bool]]) -> None:
    scores, outcomes = np.array([s for s, _ in rows]), np.array([float(k) for _, k in rows])
    where, levels = monotone(scores, outcomes)
    assert (np.diff(where) >= 0).all() and (np.diff(levels) >= 0).all()
    assert ((levels > 0) & (levels < 1)).all()


def test_trust_learns_what_promises_are_worth() -> None:
    trust = Trust()
    for number in range(EVERY * 4):
        trust.ended(0.9, number % 2 == 0)
    assert abs(trust.of(0.9) - 0.5) < 0.05
