"""An agent cut off for six hours: its spool is sent at once, answers get lost, and the books come out the same."""

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.db import transaction
from django.db.models import Sum
from django.test import Client

from alldata.agent.clock import mono_ms
from alldata.agent.http import Answer, Unreachable
from alldata.agent.report import Reporter
from alldata.agent.spool import Spool
from alldata.agent.wire import Frame, Register
from alldata.kernel import clock
from alldata.kernel.intervals import HOUR_MS, Interval
from costing.models import LedgerEntry
from costing.services.capacity import note_supply
from costing.services.ledger import book_hour
from monitoring.models import UsageFrame
from tests.fleet import AGENT, HBM, HOUR, attempt, gpu, holds, job, take, window
from tests.world import home

HOURS, STEP = 6, 60_000
AFTER = HOUR + HOURS * HOUR_MS + 120_000
SPAN = Interval(HOUR, HOUR + HOURS * HOUR_MS)


class _After:
    """A clock that stands still when the network is back."""

    def now_ms(self) -> int:
        return AFTER


class _Line:
    """The agent's end of a line to the real doors; some answers never arrive."""

    def __init__(self, lost: set[int]) -> None:
        self.client = Client(headers={"Authorization": f"Agent {settings.AGENT_KEY}"})
        self.lost, self.posts = lost, 0

    def post(self, path: str, body: bytes) -> Answer:
        answer = self.client.post(path, body, content_type="application/json")
        self.posts += 1
        if self.posts in self.lost:
            raise Unreachable("the line broke")
        return Answer(answer.status_code, answer.content)


@pytest.fixture
def cluster() -> Iterator[None]:
    """A GPU that one job holds by half for four hours."""
    viewer, device = home(), gpu()
    note_supply(AGENT, at_ms=HOUR)
    assert viewer.default_project_id is not None
    held = Interval(HOUR + 1234, HOUR + 4 * HOUR_MS)
    work = job(viewer.default_project_id, viewer.organisation_id, span=held)
    holds(attempt(work, device), device, HBM // 2, held)
    clock.use(_After())
    yield
    clock.use(clock.SystemClock())


def metered() -> list[Frame]:
    return [
        window(k + 1, Interval(HOUR + k * STEP, HOUR + (k + 1) * STEP), (k * 7919 % 101) * HBM * STEP // 200)
        for k in range(HOURS * HOUR_MS // STEP)
    ]


def booked() -> dict[tuple[Any, ...], tuple[int, int]]:
    """The ledger by account, booked hour by hour."""
    for hour_ms in range(SPAN.start_ms, SPAN.end_ms, HOUR_MS):
        book_hour(AGENT, hour_ms, now_ms=AFTER)
    account = ("hour_ms", "device", "dimension", "bucket", "attempt_id")
    rows = LedgerEntry.objects.values_list(*account).annotate(q=Sum("q"), nano=Sum("nano"))
    return {tuple(row[:5]): (int(row[5]), int(row[6])) for row in rows}


def replay(spool: Spool, lost: set[int]) -> _Line:
    line = _Line(lost)
    facts = Register(AGENT, "b", "boot:1", 1, (), (), 1000, STEP, engine="fake")
    reporter = Reporter(line, spool, AGENT, facts)  # type: ignore[arg-type]
    reporter._registered, reporter._registered_at = facts, mono_ms()
    for _ in range(20):
        reporter.step()
    assert spool.depth == 0
    return line


class _Undo(Exception):
    """Leave the database as it was."""


def books_of_a_live_agent() -> dict[tuple[Any, ...], tuple[int, int]]:
    """What would be booked had every window come by itself, in time."""
    found: dict[tuple[Any, ...], tuple[int, int]] = {}
    with suppress(_Undo), transaction.atomic():
        take(*metered(), now_ms=AFTER)
        found = booked()
        raise _Undo
    return found


@pytest.mark.parametrize("lost", [set(), {1}, {2, 3}, {1, 2, 3, 5}])
def test_a_spool_of_six_hours_leaves_the_books_of_a_live_agent(cluster: None, tmp_path: Path, lost: set[int]) -> None:
    spool = Spool(tmp_path)
    spool.next_start(0)
    for frame in metered():
        spool.append(frame, {})
    wanted = books_of_a_live_agent()
    line = replay(spool, lost)
    assert UsageFrame.objects.count() == HOURS * HOUR_MS // STEP
    assert line.posts <= 5 + len(lost)
    assert len(wanted) > 3 * HOURS
    assert booked() == wanted
