"""A held place costs what it keeps from others: held idle, for the project that asked."""

from pathlib import Path

import pytest
from django.db.models import Sum

from alldata.agent.wire import DeviceUsage, Frame, Usage
from alldata.kernel.intervals import HOUR_MS
from alldata.tenancy.viewer import Viewer
from costing.models import LedgerEntry, Reservation
from costing.services.books import ensure_price_book
from costing.services.ledger import book_hour
from monitoring.services.ingest import ingest_frame
from scheduling.executors.fake import FakeExecutor
from scheduling.models import Attempt
from scheduling.services.commands import HOLD, Entry
from scheduling.services.expiring import expire_holds
from scheduling.services.release import release_due
from scheduling.services.reserving import reserve_place
from tests.world import NODE, NOW, command, home, machine, plugged

CPU = f"{NODE}/numa0/cpu"
LASTS, WINDOW = 20_000, 2_000


@pytest.fixture
def viewer(tmp_path: Path) -> Viewer:
    machine()
    ensure_price_book(now_ms=NOW)
    viewer = home()
    ports = plugged(FakeExecutor(now_ms=lambda: NOW), tmp_path)
    reserve_place(viewer, command(kind=HOLD, entry=Entry(())), hold_ms=LASTS, ports=ports, now_ms=NOW)
    return viewer


def watch(seq: int) -> None:
    """A window in which the machine worked a little, for nobody."""
    start = NOW + seq * WINDOW
    cpu = DeviceUsage(CPU, {"cpu_millicores": Usage(100 * WINDOW, "measured", "measured")})
    ingest_frame(Frame("boot-1", seq, start, start + WINDOW, (cpu,)), agent=NODE, now_ms=start + WINDOW)


def booked(now_ms: int) -> dict[str, int]:
    book_hour(NODE, NOW // HOUR_MS * HOUR_MS, now_ms=now_ms)
    mine = LedgerEntry.objects.filter(device=CPU, attempt_id=Attempt.objects.get().pk)
    return {row["bucket"]: int(row["q"]) for row in mine.values("bucket").annotate(q=Sum("q"))}


def test_it_is_held_idle_and_not_unmetered(viewer: Viewer) -> None:
    for seq in range(5):
        watch(seq)
    assert booked(NOW + 60_000) == {"allocated_idle": 1000 * 5 * WINDOW}


def test_it_ends_with_the_reservation(viewer: Viewer) -> None:
    expire_holds(now_ms=NOW + LASTS)
    release_due(now_ms=NOW + LASTS)
    for seq in range(15):
        watch(seq)
    assert booked(NOW + 60_000) == {"allocated_idle": 1000 * LASTS}


def test_what_holding_costs_is_set_aside(viewer: Viewer) -> None:
    assert Reservation.objects.get().reserved_nano == round(1_800_000 * LASTS / HOUR_MS)
