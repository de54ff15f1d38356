"""Whose turn it is under each policy."""

from dataclasses import replace
from random import Random

from hypothesis import given
from hypothesis import strategies as st

from scheduling.crater.model import Policy, Request, Runtime
from scheduling.crater.order import is_lost, ordered, slack_ms
from scheduling.crater.running import Teams
from tests.pure.crater_cases import NOW, cores, job

HOUR = Runtime(3_000_000, 3_600_000, "history", 9)


def names(*queue: Request, teams: Teams | None = None) -> list[str]:
    return [r.job for r in ordered(queue, NOW, teams or Teams())]


def due(name: str, in_ms: int, **more: object) -> Request:
    return job(name, cores(1000), deadline_ms=NOW + in_ms, runtime=HOUR, **more)


def test_least_slack_by_the_late_duration_comes_first() -> None:
    quick = replace(due("quick", 7_300_000), runtime=Runtime(1, 2, "history", 9))
    assert names(quick, due("tight", 7_400_000)) == ["tight", "quick"]


def test_a_lost_deadline_does_not_cost_the_next_one() -> None:
    assert names(due("lost", 2_000_000), due("open", 9_000_000)) == ["open", "lost"]


def test_fifo_and_cost_min_have_no_slack_to_shrink() -> None:
    assert {slack_ms(due("a", 1, policy=p), NOW) for p in (Policy.FIFO, Policy.COST_MIN)} == {float("inf")}


def test_fifo_is_by_priority_then_age() -> None:
    old, new = (replace(job(n, policy=Policy.FIFO), submitted_ms=t) for n, t in (("old", 1), ("new", 2)))
    assert names(new, old, replace(new, job="vip", priority=1)) == ["vip", "old", "new"]


@given(
    st.lists(st.tuples(st.sampled_from(Policy), st.integers(0, 2), st.integers(-9, 9), st.sampled_from("xyz"))),
    st.randoms(use_true_random=False),
)
def test_the_order_of_the_input_never_matters(rows: list[tuple[Policy, int, int, str]], random: Random) -> None:
    queue = [
        replace(due(f"j{i}", d * 1_000_000, policy=p, priority=q), team=team) for i, (p, q, d, team) in enumerate(rows)
    ]
    assert names(*random.sample(queue, len(queue))) == names(*queue)
    assert sorted(names(*queue)) == sorted(r.job for r in queue)


@given(st.integers(-10_000_000, 10_000_000), st.integers(0, 10_000_000))
def test_waiting_only_shrinks_slack(in_ms: int, later: int) -> None:
    request = due("a", in_ms)
    assert slack_ms(request, NOW + later) <= slack_ms(request, NOW)
    assert is_lost(request, NOW + later) or not is_lost(request, NOW)
