"""Frames arrive at least once, in any order; they count once, and the watermark tells how far they reach."""

import itertools
from typing import Any

import pytest
from django.db import DatabaseError, connection, transaction

from alldata.agent.wire import AttemptUsage, DeviceUsage, Frame, Usage
from alldata.kernel.intervals import DAY_MS
from alldata.outbox.models import OutboxEvent
from monitoring.errors import BadFrameTime, FrameOverlaps
from monitoring.models import UsageFrame
from monitoring.selectors.live import live
from monitoring.selectors.streams import LATENESS_MS, metered_until, watermark
from monitoring.services.ingest import ingest_frame
from monitoring.services.partitions import ensure_partition, ensure_partitions_ahead
from tests.world import NODE, NOW, home, machine

CPU = f"{NODE}/numa0/cpu"
WINDOW = 2000


def frame(seq: int, *, epoch: str = "boot-1", at: int = NOW, **changes: Any) -> Frame:
    """Window `seq` of an agent that started at `at`, with one busy core."""
    dims = {"cpu_millicores": Usage(1000 * WINDOW, "measured", "measured", coverage_ms=WINDOW)}
    plain: dict[str, Any] = {
        "epoch": epoch,
        "seq": seq,
        "start_ms": at + seq * WINDOW,
        "end_ms": at + (seq + 1) * WINDOW,
        "devices": (DeviceUsage(CPU, dims),),
        "attempts": (AttemptUsage("attempt", CPU, dims),),
    }
    return Frame(**plain | changes)


def ingest(*frames: Frame, now_ms: int = NOW + 60_000) -> list[bool]:
    return [ingest_frame(one, agent=NODE, now_ms=now_ms) for one in frames]


def test_a_frame_that_arrives_twice_counts_once() -> None:
    assert ingest(frame(0), frame(0)) == [True, False]
    assert UsageFrame.objects.count() == 1
    assert OutboxEvent.objects.filter(name="usage.recorded").count() == 1


def test_the_fact_names_the_attempts() -> None:
    ingest(frame(0))
    fields = OutboxEvent.objects.get(name="usage.recorded").fields
    assert fields == {"agent": NODE, "start_ms": NOW, "end_ms": NOW + WINDOW, "attempts": ["attempt"]}


@pytest.mark.parametrize("order", list(itertools.permutations(range(1, 4))))
def test_the_order_of_arrival_does_not_matter(order: tuple[int, ...]) -> None:
    ingest(frame(0), *(frame(seq) for seq in (*order, *order)))
    assert UsageFrame.objects.count() == 4
    assert metered_until(NODE) == NOW + 4 * WINDOW


def test_a_gap_holds_the_watermark_back_until_patience_ends() -> None:
    ingest(frame(0), frame(2))
    soon, late = NOW + 61_000, NOW + 60_000 + LATENESS_MS + 1
    assert watermark(NODE, now_ms=soon) == NOW + WINDOW
    assert watermark(NODE, now_ms=late) == max(NOW + 3 * WINDOW, late - LATENESS_MS)


def test_a_frame_before_the_first_one_is_kept_too() -> None:
    assert ingest(frame(5), frame(4), frame(4)) == [True, True, False]


def test_a_new_epoch_starts_its_own_count() -> None:
    assert ingest(frame(0), frame(0, epoch="boot-2", at=NOW + WINDOW)) == [True, True]
    assert metered_until(NODE) == NOW + 2 * WINDOW


@pytest.mark.parametrize(
    "window",
    [(NOW + 400_000, NOW + 402_000), (NOW - 36 * DAY_MS, NOW - 36 * DAY_MS + 2000), (NOW, NOW + 3_600_001)],
    ids=["future", "too old", "too long"],
)
def test_impossible_times_are_refused(window: tuple[int, int]) -> None:
    with pytest.raises(BadFrameTime):
        ingest(frame(0, start_ms=window[0], end_ms=window[1]))
    assert not UsageFrame.objects.exists()


def test_a_window_that_reaches_into_a_closed_one_is_refused() -> None:
    ingest(frame(0))
    with pytest.raises(FrameOverlaps):
        ingest(frame(1, start_ms=NOW + WINDOW - 1))


@pytest.mark.parametrize("statement", ["UPDATE usage_frame SET recv_ms = 0", "DELETE FROM usage_frame"])
def test_frames_are_append_only(statement: str) -> None:
    ingest(frame(0))
    with pytest.raises(DatabaseError, match="never changed"), transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(statement)


def test_partitions_are_made_once() -> None:
    later = NOW + 100 * DAY_MS
    assert ensure_partitions_ahead(now_ms=later) == 4
    assert ensure_partitions_ahead(now_ms=later) == 0
    assert not ensure_partition(later + DAY_MS)


def test_live_values_are_the_newest_window_and_missing_is_not_zero() -> None:
    machine()
    ingest(frame(0))
    by_dimension = {value.dimension: value for value in live(home(), now_ms=NOW + 3000)}
    cpu, memory = by_dimension["cpu_millicores"], by_dimension["memory_bytes"]
    assert (cpu.value, cpu.percent, cpu.window_ms, cpu.age_ms) == (1000, 50.0, WINDOW, 1000)
    assert (memory.value, memory.quality, memory.reason) == (None, "missing", "not_reported")
