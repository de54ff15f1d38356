"""Hours of a shared GPU for laws: whatever may be measured, held and resent, and a way to forget an example.

The GPU is that of tests.fleet; claims together never exceed it.
"""

from collections.abc import Iterator, Sequence
from itertools import pairwise

from django.db import transaction
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st

from alldata.agent.wire import Frame
from alldata.kernel.intervals import HOUR_MS, Interval
from alldata.tenancy.viewer import Viewer
from scheduling.models import Device, Job
from tests.fleet import HBM, HOUR, attempt, gpu, holds, job, take, window

LAW = settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


class _Undo(Exception):
    """Leave the database as it was before an example."""


@st.composite
def hours(draw: st.DrawFn) -> list[Frame]:
    """Windows of an hour: gaps, over-capacity values, and now and then a new epoch."""
    marks = sorted(draw(st.sets(st.integers(HOUR, HOUR + HOUR_MS), min_size=2, max_size=8)))
    frames, epoch, seq = [], 1, 0
    for start, end in pairwise(marks):
        if draw(st.booleans()):
            epoch, seq = (epoch + 1, 0) if draw(st.integers(0, 4)) == 0 else (epoch, seq + 1)
            q = draw(st.integers(0, HBM * (end - start) * 11 // 10))
            frames.append(window(seq, Interval(start, end), q, epoch=f"boot:{epoch}"))
    return frames


@st.composite
def claims(draw: st.DrawFn) -> list[tuple[int, Interval]]:
    """Up to three co-tenants, together never above the capacity."""
    found = []
    for _ in range(draw(st.integers(0, 3))):
        start = draw(st.integers(HOUR - 1000, HOUR + HOUR_MS - 1))
        end = draw(st.integers(start + 1, HOUR + 2 * HOUR_MS))
        found.append((draw(st.integers(1, HBM // 3)), Interval(start, end)))
    return found


def watched_gpu() -> Device:
    """A GPU whose agent was heard before the hour: a node without an agent has no books."""
    made = gpu(at_ms=HOUR - 1000)
    take(window(0, Interval(HOUR - 2000, HOUR - 1000), 0, epoch="boot:0"))
    return made


def attempts(viewer: Viewer, device: Device, held: Sequence[tuple[int, Interval]]) -> list[Job]:
    """A job for each claim."""
    assert viewer.default_project_id is not None
    found = []
    for number, (amount, span) in enumerate(held, start=1):
        row = job(viewer.default_project_id, viewer.organisation_id, number)
        holds(attempt(row, device), device, amount, span)
        found.append(row)
    return found


def example() -> Iterator[None]:
    """One example in a transaction that is undone."""
    try:
        with transaction.atomic():
            yield
            raise _Undo
    except _Undo:
        return
