"""A long queue is planned in work that grows with its length: counted in calls, not by the clock."""

import sys
from types import FrameType

from scheduling.crater.model import Request, Snapshot
from scheduling.crater.plan import ACCOUNTS, plan
from tests.pure.crater_cases import cluster, cores, job, plain_node

NODES = tuple(plain_node(f"n{i:02d}", cores=8) for i in range(70))


def queue(length: int, kinds: int = 20) -> tuple[Request, ...]:
    return tuple(job(f"j{i:05d}", cores(1000 * (1 + i % kinds % 8)), cap_nano=i % kinds) for i in range(length))


def calls(snapshot: Snapshot) -> int:
    """Functions called while planning."""
    counted = 0

    def count(_frame: FrameType, event: str, _argument: object) -> None:
        nonlocal counted
        counted += event in ("call", "c_call")

    before = sys.getprofile()
    sys.setprofile(count)
    try:
        plan(snapshot)
    finally:
        sys.setprofile(before)
    return counted


def test_jobs_that_must_wait_cost_the_same_each() -> None:
    plan(cluster(*NODES, queue=queue(2000)))  # machine code is loaded where it is first called
    short, middle, long = (calls(cluster(*NODES, queue=queue(length))) for length in (2000, 4000, 6000))
    assert long - middle < 1.1 * (middle - short)
    assert (middle - short) / 2000 < 200


def test_every_job_is_answered_and_equal_ones_alike() -> None:
    made = plan(cluster(*NODES, queue=queue(3000)))
    assert len(made.placements) + len(made.refusals) == 3000
    assert len({(r.nearest, r.relaxations) for r in made.refusals}) <= 20


def test_beyond_some_kinds_the_reason_is_the_quick_one() -> None:
    kinds = [job(f"j{i:03d}", cores(9000 + i)) for i in range(ACCOUNTS + 5)]
    refusals = plan(cluster(*NODES[:2], queue=tuple(kinds))).refusals
    assert len(refusals) == len(kinds) and all(r.nearest and r.counts for r in refusals)
