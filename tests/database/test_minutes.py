"""E11: a window a minute comes to what a window for every look comes to (L4), by the agent's own sums."""

from collections.abc import Iterator
from contextlib import suppress

import pytest
from django.db import transaction
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from alldata.agent.sample import Reading, Sampler
from alldata.agent.wire import Frame
from alldata.kernel.intervals import HOUR_MS, Interval
from alldata.tenancy.viewer import Viewer
from costing.selectors.prices import price_history
from costing.services.capacity import note_supply
from costing.services.metering import Account, Amount, rate_hour
from tests.fleet import AGENT, GPU, HBM, HOUR, attempt, gpu, holds, job, take
from tests.world import home

LOOK, MINUTE = 5_000, 60_000
LOOKS = MINUTE // LOOK
WHOLE = Interval(HOUR, HOUR + HOUR_MS)


class _Undo(Exception):
    """Leave the database as it was before."""


def frames(looks: list[tuple[int, int]], every: int) -> Iterator[Frame]:
    """What an agent sends that closes its window after `every` looks: bytes moved (counter), share of SMs (level)."""
    sampler, moved, seq = Sampler(), 0, 0
    for k, (step, share) in enumerate([(0, looks[0][1]), *looks]):
        moved += step * LOOK
        readings = {
            (GPU, "hbm_bandwidth"): Reading(moved, True, "driver"),
            (GPU, "gpu_sm"): Reading(share, False, "driver", "proxy"),
        }
        sampler.look(readings, HOUR + k * LOOK)
        if k and k % every == 0:
            seq += 1
            yield Frame("boot:1", seq, HOUR + (k - every) * LOOK, HOUR + k * LOOK, sampler.peek())
            sampler.clear()


def rated(sent: Iterator[Frame]) -> dict[Account, Amount]:
    found: dict[Account, Amount] = {}
    with suppress(_Undo), transaction.atomic():
        take(*sent)
        found = rate_hour(AGENT, WHOLE, price_history()).amounts
        raise _Undo
    return found


@pytest.fixture
def viewer() -> Viewer:
    """Two jobs hold parts of one GPU, from one minute to another."""
    found, device = home(), gpu()
    note_supply(AGENT, at_ms=HOUR)
    assert found.default_project_id is not None
    for number, (first, last, part) in enumerate([(0, 3, 2), (2, 5, 3)], 1):
        span = Interval(HOUR + first * MINUTE, HOUR + last * MINUTE)
        who = attempt(job(found.default_project_id, found.organisation_id, number, span=span), device)
        holds(who, device, HBM // part, span)
        holds(who, device, 1_000_000 // part, span, "gpu_sm")
    return found


minutes = st.integers(1, 6).flatmap(
    lambda count: st.lists(
        st.tuples(st.integers(0, HBM), st.integers(0, 1_000_000)), min_size=count * LOOKS, max_size=count * LOOKS
    )
)


@settings(
    max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)
@given(minutes)
def test_a_window_a_minute_comes_to_what_every_look_comes_to(viewer: Viewer, looks: list[tuple[int, int]]) -> None:
    by_look = rated(frames(looks, 1))
    assert rated(frames(looks, LOOKS)) == by_look
    assert sum(
        amount.q for account, amount in by_look.items() if account.bucket.value in ("used", "system")
    ) > 0 or all(look == (0, 0) for look in looks)
