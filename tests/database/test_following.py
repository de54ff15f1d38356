"""The short way in leaves what the patient way leaves, whatever is sent in which order, and costs one statement."""

from typing import Any

import pytest
from django.db import DataError, connection, transaction
from django.test.utils import CaptureQueriesContext
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from alldata.agent.wire import AttemptUsage, DeviceUsage, Frame, Usage
from alldata.kernel.intervals import DAY_MS
from alldata.outbox.models import Delivery, OutboxEvent
from monitoring.frames.reading import Window, window_of
from monitoring.models import AgentStream, UsageFrame
from monitoring.services import ingest
from monitoring.services.ingest import Taken, ingest_windows
from monitoring.services.partitions import ensure_partition
from tests.world import NODE, NOW

WINDOW = 2000


class _Undo(Exception):
    """Leave the database as it was before an example."""


@pytest.fixture(autouse=True)
def _today() -> None:
    ensure_partition(NOW)


def window(seq: int, *, epoch: str = "boot-1", stretch_ms: int = 0, key: str = "attempt", at: int = NOW) -> Window:
    dims = {"cpu_millicores": Usage(seq, "measured", "measured", coverage_ms=WINDOW)}
    start = at + seq * WINDOW
    devices, attempts = (DeviceUsage("cpu", dims),), (AttemptUsage(key, "cpu", dims),)
    return window_of(Frame(epoch, seq, start - stretch_ms, start + WINDOW, devices, attempts))


def take(*windows: Window) -> Taken:
    return ingest_windows(windows, agent=NODE, now_ms=NOW + 60_000)


def kept() -> tuple[Any, ...]:
    """Everything that ingest leaves behind, but for ids."""
    frames = sorted(UsageFrame.objects.values_list("epoch", "seq", "start_ms", "end_ms", "attempts"))
    bodies = [bytes(body) for body in UsageFrame.objects.order_by("epoch", "seq").values_list("body", flat=True)]
    streams = [
        {**row, "live": bytes(row["live"])}
        for row in AgentStream.objects.order_by("epoch").values(*(f.name for f in AgentStream._meta.fields[1:]))
    ]
    facts = OutboxEvent.objects.values_list("name", "fields", "project_id", "at_ms")
    owed = Delivery.objects.values_list("event__fields", "subscriber", "due_ms", "done_ms", "tries", "last_error")
    return frames, bodies, streams, sorted(map(repr, facts)), sorted(map(repr, owed))


def left_by(deliveries: list[list[Window]]) -> tuple[Any, ...]:
    found: tuple[Any, ...] = ()
    try:
        with transaction.atomic():
            answers = [take(*windows) for windows in deliveries]
            found = answers, kept()
            raise _Undo
    except _Undo:
        return found


def patiently(deliveries: list[list[Window]]) -> tuple[Any, ...]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ingest, "take_following", lambda *_, **__: False)
        return left_by(deliveries)


windows = st.builds(
    window, st.integers(0, 5), epoch=st.sampled_from(["boot-1", "boot-2"]), stretch_ms=st.sampled_from([0, 0, 0, 1])
)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.lists(windows, min_size=1, max_size=4), min_size=1, max_size=5))
def test_both_ways_leave_the_same(deliveries: list[list[Window]]) -> None:
    short, patient = left_by(deliveries), patiently(deliveries)
    assert repr(short) == repr(patient)


def test_windows_that_follow_cost_one_statement() -> None:
    take(window(0))
    with CaptureQueriesContext(connection) as asked:
        assert take(window(1), window(2)).stored == 2
    assert len(asked) == 1
    assert AgentStream.objects.get().closed_seq == 2


def test_a_day_without_a_table_gets_one() -> None:
    take(window(0, at=NOW - 40 * DAY_MS % DAY_MS))
    last = -(-(NOW + 1) // DAY_MS) * DAY_MS
    behind = [Window("boot-1", k, last + (k - 2) * WINDOW, last + (k - 1) * WINDOW, window(k).columns) for k in (1, 2)]
    assert ingest_windows(behind, agent=NODE, now_ms=last).stored == 2


def test_a_key_that_is_too_long_is_not_cut_by_the_short_way() -> None:
    take(window(0))
    with pytest.raises(DataError), transaction.atomic():
        take(window(1, key="k" * 65))
