"""From frames to the ledger: every nano of capacity is booked once, whatever arrives how often and when."""

from dataclasses import replace
from pathlib import Path
from uuid import UUID

import pytest
from django.db.models import Sum

from alldata.agent.wire import AttemptUsage, DeviceUsage, Frame, Usage
from alldata.kernel.intervals import HOUR_MS, Interval
from alldata.tenancy.viewer import Viewer
from costing.models import LedgerEntry
from costing.rating import price_nano
from costing.selectors.costs import cost_of_job, spend_of_jobs
from costing.selectors.prices import price_history
from costing.services.agenda import note_end, note_usage, work_off
from costing.services.books import ensure_price_book
from costing.services.ledger import book_hour
from costing.services.metering import rate_hour
from monitoring.services.ingest import ingest_frame
from scheduling.executors.fake import FakeExecutor
from scheduling.models import Allocation, Attempt, Job
from scheduling.selectors.answers import JobRow
from scheduling.services.placement import place_waiting
from tests.world import NODE, NOW, FlatRates, home, machine, plugged, submitted

CPU = f"{NODE}/numa0/cpu"
WINDOW = 2000
CPU_RATE = 2 * 224_438_100
HOUR = NOW // HOUR_MS * HOUR_MS


@pytest.fixture
def viewer(tmp_path: Path) -> Viewer:
    plugged(FakeExecutor(now_ms=lambda: NOW), tmp_path)
    machine()
    ensure_price_book(now_ms=NOW)
    return home()


@pytest.fixture
def job(viewer: Viewer) -> JobRow:
    """A placed job that holds its claims from NOW on."""
    row = submitted(viewer)
    place_waiting(prices=FlatRates(), now_ms=NOW)
    Attempt.objects.update(started_ms=NOW)
    return row


def frame(seq: int, *, millicores: int | None = 400) -> Frame:
    """Window `seq` from NOW on: the placed attempt uses `millicores`, the system 100 more."""
    start = NOW + seq * WINDOW
    busy = (millicores or 0) + 100
    key = str(Attempt.objects.get().id)
    device = DeviceUsage(CPU, {"cpu_millicores": Usage(busy * WINDOW, "measured", "measured")})
    mine = {"cpu_millicores": Usage((millicores or 0) * WINDOW, "measured", "measured")}
    attempts = (AttemptUsage(key, CPU, mine),) if millicores is not None else ()
    return Frame("boot-1", seq, start, start + WINDOW, (device,), attempts)


def ingest(*frames: Frame) -> None:
    for one in frames:
        ingest_frame(one, agent=NODE, now_ms=one.end_ms)


def book(now_ms: int = NOW + 60_000) -> int:
    return book_hour(NODE, HOUR, now_ms=now_ms)


def end(row: JobRow, at_ms: int) -> None:
    """The job is over and its claims are released."""
    Attempt.objects.filter(job_id=row.id).update(state="succeeded", ended_ms=at_ms)
    Job.objects.filter(pk=row.id).update(state="succeeded", ended_ms=at_ms)
    Allocation.objects.filter(attempt__job_id=row.id).update(state="released", end_ms=at_ms)


def booked(**where: object) -> dict[str, int]:
    rows = LedgerEntry.objects.filter(device=CPU, **where).values_list("bucket").annotate(nano=Sum("nano"))
    return {bucket: nano for bucket, nano in rows if nano}


def used_nano(millicores: int, windows: int) -> int:
    return millicores * price_nano(CPU_RATE, Interval(NOW, NOW + windows * WINDOW)) // 2000


def test_booked_buckets_sum_to_the_price_of_the_known_time(job: JobRow) -> None:
    ingest(frame(0), frame(1))
    book()
    total = LedgerEntry.objects.filter(device=CPU).aggregate(nano=Sum("nano"))["nano"]
    assert total == price_nano(CPU_RATE, Interval(NOW, NOW + 2 * WINDOW))


def test_usage_is_charged_to_the_job_and_the_rest_is_the_systems(job: JobRow) -> None:
    ingest(frame(0), frame(1))
    book()
    assert abs(booked(job_id=job.id)["used"] - used_nano(400, 2)) <= 1
    assert abs(booked(job_id=None)["system"] - used_nano(100, 2)) <= 1


def test_booking_again_adds_nothing(job: JobRow) -> None:
    ingest(frame(0))
    assert book() > 0
    assert book() == 0


def test_growing_in_steps_equals_rating_once(job: JobRow) -> None:
    for seq in range(5):
        ingest(frame(seq, millicores=100 * seq))
        book()
    once = rate_hour(NODE, Interval(HOUR, NOW + 5 * WINDOW), price_history())
    assert sum(booked(bucket="used").values()) == sum(
        amount.nano for account, amount in once.amounts.items() if account.bucket == "used" and account.device == CPU
    )


def test_a_repeated_frame_changes_nothing(job: JobRow) -> None:
    ingest(frame(0), frame(1))
    book()
    before = booked()
    ingest(frame(0), frame(1))
    assert book() == 0
    assert booked() == before


def test_late_data_appends_corrections_that_sum_to_zero(job: JobRow) -> None:
    ingest(frame(0), frame(2, millicores=None))
    late = NOW + 600_000
    book(now_ms=late)
    total = sum(booked().values())
    revision = LedgerEntry.objects.latest("revision").revision
    ingest_frame(frame(1), agent=NODE, now_ms=late)
    book(now_ms=late)
    corrections = LedgerEntry.objects.filter(revision__gt=revision, device=CPU)
    assert corrections.aggregate(nano=Sum("nano"))["nano"] == 0
    assert sum(booked().values()) == total
    assert abs(booked(job_id=job.id)["used"] - used_nano(400, 2)) <= 2


def test_a_silent_agent_leaves_unmetered_time_that_its_next_report_heals(job: JobRow) -> None:
    ingest(frame(0))
    book(now_ms=NOW + 600_000)
    assert booked(job_id=job.id)["unmetered"] > 0
    back = NOW + 602_000
    ingest(replace(frame(1, millicores=100_000), start_ms=back - WINDOW, end_ms=back))
    book(now_ms=back)
    assert "unmetered" not in booked(job_id=job.id)
    assert sum(booked().values()) == price_nano(CPU_RATE, Interval(NOW, back))


def test_usage_of_a_key_that_nobody_owns_is_not_charged(viewer: Viewer) -> None:
    usage = {"cpu_millicores": Usage(1000 * WINDOW, "measured", "measured")}
    key = str(UUID(int=7))
    ingest(Frame("e", 0, NOW, NOW + WINDOW, (DeviceUsage(CPU, usage),), (AttemptUsage(key, CPU, usage),)))
    book()
    assert set(booked()) == {"system", "unallocated_idle"}


def test_the_parts_of_a_jobs_cost_sum_to_its_total(viewer: Viewer, job: JobRow) -> None:
    ingest(frame(0), frame(1))
    book()
    cost = cost_of_job(viewer, job.reference)
    assert cost.charged_nano == sum(part.charged_nano for part in cost.parts) > 0
    assert cost.charged_cents == sum(part.charged_cents for part in cost.parts)
    assert sum(part.share_permille for part in cost.parts) == 1000
    assert spend_of_jobs([job.id])[job.id].nano == cost.charged_nano


def test_a_cost_is_provisional_until_the_claims_have_ended_and_are_booked(viewer: Viewer, job: JobRow) -> None:
    ingest(frame(0))
    work(job, NOW + WINDOW)
    assert cost_of_job(viewer, job.reference).state == "provisional"
    end(job, NOW + WINDOW)
    ingest(frame(1, millicores=None))
    work(job, NOW + 2 * WINDOW)
    cost = cost_of_job(viewer, job.reference)
    assert (cost.state, cost.charged_is_final) == ("settled", True)


def work(job: JobRow, now_ms: int) -> None:
    """What the handlers and the task do."""
    note_usage(NODE, now_ms - WINDOW, now_ms, (), now_ms=now_ms)
    note_end(job.id, now_ms=now_ms)
    work_off(now_ms=now_ms)


def test_a_running_job_is_booked_at_a_pace_and_its_end_at_once(job: JobRow) -> None:
    due = []
    for seq in range(7):
        ingest(frame(seq))
        now_ms = NOW + (seq + 1) * WINDOW
        due.append(note_usage(NODE, now_ms - WINDOW, now_ms, (), now_ms=now_ms))
        work_off(now_ms=now_ms)
    assert due == [True, False, False, False, False, True, False]
    note_end(job.id, now_ms=now_ms)
    assert work_off(now_ms=now_ms) == 1
