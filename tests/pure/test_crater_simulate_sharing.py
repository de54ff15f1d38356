"""Sharing a device and promising deadlines."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from scheduling.crater.admission import Docket
from scheduling.crater.allot import WAITS
from scheduling.crater.promise import Way
from scheduling.crater.sharing import Shared, share


def test_two_share_a_device_when_that_serves_both() -> None:
    worth = np.array([[1.0], [1.0]])
    state = Shared(np.array([0, WAITS]), np.array([-1, -1]), np.array([0]))
    share(worth, np.full((1, 2, 2), 0.8), state)
    assert (state.chosen.tolist(), state.mates.tolist()) == ([0, 0], [1, 0])


def test_a_bad_pair_does_not_share() -> None:
    state = Shared(np.array([0, WAITS]), np.array([-1, -1]), np.array([0]))
    share(np.array([[1.0], [1.0]]), np.full((1, 2, 2), 0.4), state)
    assert state.mates.tolist() == [-1, -1]


ways = st.lists(st.builds(Way, st.integers(1, 5), st.integers(1, 10)), min_size=1, max_size=3)


asks = st.lists(st.tuples(st.integers(0, 5), st.integers(1, 25), ways), max_size=8)


@settings(max_examples=200, deadline=None)
@given(asks)
def test_every_promise_is_kept_and_devices_suffice(found: list[tuple[int, int, list[Way]]]) -> None:
    docket, promised, now_ms = Docket(0, 4), {}, 0
    begun = []
    for number, (gap, allowed, options) in enumerate(found):
        now_ms += gap
        begun += docket.advance(now_ms)
        if docket.ask(f"j{number}", now_ms + allowed, options) is not None:
            promised[f"j{number}"] = now_ms + allowed
    begun += docket.advance(10**6)
    assert {p.job for p in begun} == set(promised)
    assert all(p.ends_ms <= promised[p.job] for p in begun)
    assert all(sum(p.way.units for p in begun if p.start_ms <= t < p.ends_ms) <= 4 for t in range(now_ms + 60))
