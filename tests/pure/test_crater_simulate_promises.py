"""The deadline benchmark looks at nothing that has not happened yet, and counts what it says."""

from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st

from benchmarks.deadline_policies import admitted, queued
from benchmarks.deadlines import as_asked
from benchmarks.elasticflow import DeadlineJob
from benchmarks.promises import Replay

few = settings(max_examples=60, deadline=None)


@st.composite
def streams(draw: st.DrawFn) -> list[DeadlineJob]:
    """Jobs by arrival on at most four devices."""
    rows = draw(
        st.lists(st.tuples(st.integers(0, 9), st.integers(1, 9), st.integers(1, 4), st.integers(1, 20)), min_size=1)
    )
    found, now_ms = [], 0
    for number, (gap, lasts_ms, units, allowed_ms) in enumerate(rows):
        now_ms += gap
        found.append(DeadlineJob(f"{number:03d}", now_ms, lasts_ms, units, now_ms + allowed_ms, ("m", "1"), 1.0))
    return found


@few
@given(streams(), st.integers(1, 50))
def test_a_promise_never_depends_on_how_long_it_will_take(jobs: list[DeadlineJob], other_ms: int) -> None:
    changed = [*jobs[:-1], replace(jobs[-1], lasts_ms=other_ms)]
    ours, theirs = (Replay(found, 4).run() for found in (jobs, changed))
    assert [case.promised for case in ours] == [case.promised for case in theirs]


@few
@given(streams())
def test_every_job_ends_and_devices_suffice(jobs: list[DeadlineJob]) -> None:
    cases = Replay(jobs, 4).run()
    spans = [(case.started_ms or 0, case.ended_ms or 0, case.job.units) for case in cases]
    assert all(end - start == job.lasts_ms for (start, end, _), job in zip(spans, jobs, strict=True))
    assert all(sum(units for start, end, units in spans if start <= t < end) <= 4 for t, _, _ in spans)


@few
@given(streams())
def test_every_job_is_promised_or_its_refusal_explained(jobs: list[DeadlineJob]) -> None:
    promised, refused = admitted(jobs, 4, as_asked)
    explained = refused.impossible + refused.missed + refused.at_others_cost + refused.needless
    assert promised + explained == len(jobs)


def test_queues_run_in_their_order() -> None:
    long, urgent = (DeadlineJob(n, at, 10, 1, due, ("m", "1"), 1.0) for n, at, due in (("a", 0, 99), ("b", 0, 10)))
    assert (queued([long, urgent], 1, is_edf=False), queued([long, urgent], 1, is_edf=True)) == (1, 2)
