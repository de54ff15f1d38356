"""From frames to the ledger: every nano of capacity is booked once, whatever arrives how often and when."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from random import Random
from uuid import UUID

import pytest
from django.db import transaction
from django.db.models import Sum

from alldata.agent.wire import AttemptUsage, DeviceUsage, Frame, Usage
from alldata.kernel import clock
from alldata.kernel.intervals import HOUR_MS, Interval
from alldata.outbox.tasks import relay
from alldata.tenancy.viewer import Viewer
from costing.models import DirtyHour, LedgerEntry
from costing.rating import price_nano
from costing.selectors.costs import cost_of_job, spend_of_jobs
from costing.selectors.prices import price_history
from costing.services.agenda import mark_open, note_end, note_usage, work_off
from costing.services.books import ensure_price_book
from costing.services.ledger import book_hour
from costing.services.metering import Account, Amount, rate_hour
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


def amounts_after(frames: list[Frame]) -> dict[Account, Amount]:
    """What the hour comes to after these arrivals, which are then forgotten."""
    with transaction.atomic():
        ingest(*frames)
        amounts = rate_hour(NODE, Interval(HOUR, NOW + 6 * WINDOW), price_history()).amounts
        transaction.set_rollback(True)
    return amounts


@pytest.mark.parametrize("seed", range(3))
def test_order_and_repetition_of_arrivals_change_nothing(job: JobRow, seed: int) -> None:
    frames = [frame(seq, millicores=100 * seq) for seq in range(6)]
    mixed = [*frames[:1], *Random(seed).sample(frames * 3, 18)]
    assert amounts_after(mixed) == amounts_after(frames)


def test_a_report_that_says_when_is_booked_then(job: JobRow) -> None:
    """The next hour's first frame speaks of the last second of this one."""
    close = HOUR + HOUR_MS
    ingest(frame(0), _boundary(close))
    book(now_ms=close + WINDOW)
    before = booked(job_id=job.id)["used"]
    book_hour(NODE, close, now_ms=close + WINDOW)
    assert booked(job_id=job.id, hour_ms=HOUR)["used"] == before > 0
    q = LedgerEntry.objects.filter(job_id=job.id, bucket="used", device=CPU).aggregate(q=Sum("q"))["q"]
    assert q == 400 * WINDOW + 1000 * 1500


def _boundary(close: int) -> Frame:
    """A frame after `close` whose report spans it: one core from 1000 ms before to 500 ms after."""
    plain = frame(1)
    usage = {"cpu_millicores": Usage(1000 * 1500, "measured", "measured")}
    mine = AttemptUsage(plain.attempts[0].key, CPU, usage, close - 1000, close + 500)
    return replace(plain, start_ms=close, end_ms=close + WINDOW, attempts=(mine,))


class FixedClock:
    """A clock that stands still."""

    def __init__(self, at_ms: int) -> None:
        self.at_ms = at_ms

    def now_ms(self) -> int:
        return self.at_ms


@pytest.fixture
def stopped_clock() -> Iterator[FixedClock]:
    chosen = FixedClock(NOW + WINDOW)
    clock.use(chosen)
    yield chosen
    clock.use(clock.SystemClock())


def test_facts_alone_bring_usage_into_the_ledger(viewer: Viewer, job: JobRow, stopped_clock: FixedClock) -> None:
    ingest(frame(0))
    relay()
    work_off(now_ms=NOW + WINDOW)
    assert cost_of_job(viewer, job.reference).charged_nano > 0


def test_an_hour_is_booked_once_more_when_it_closes(job: JobRow) -> None:
    ingest(frame(0))
    closing = HOUR + HOUR_MS + 15 * 60_000
    for now_ms in (NOW + WINDOW, NOW + WINDOW, closing, closing, closing):
        mark_open(now_ms=now_ms)
        work_off(now_ms=now_ms)
    assert DirtyHour.objects.get(hour_ms=HOUR).due_ms == closing + 60_000
