"""What the planner saw can be put together again exactly, and is not written twice."""

import json
from dataclasses import replace

from django.db import transaction

from scheduling.crater.model import Request, Snapshot
from scheduling.crater.plan import plan
from scheduling.models import Device, Node, PlannerInput
from scheduling.services.placement import commit
from scheduling.services.recording import MOST_STEPS, as_text, input_of, record_input
from scheduling.snapshot import build_snapshot
from tests.world import NOW, FlatRates, home, machine, submitted


def _seen(now_ms: int = NOW) -> Snapshot:
    return build_snapshot(prices=FlatRates(), now_ms=now_ms)


def _same(row: PlannerInput, snapshot: Snapshot) -> bool:
    row.refresh_from_db()
    return bool(input_of(row) == json.loads(as_text(replace(snapshot, now_ms=0))))


def test_rounds_are_put_together_again() -> None:
    viewer, kept = home(), []
    machine(cores=4)
    for number in range(4):
        submitted(viewer, now_ms=NOW + number)
        snapshot = _seen(NOW + number)
        kept.append((record_input(snapshot), snapshot))
        commit(snapshot, plan(snapshot), now_ms=NOW + number)
    Device.objects.filter(type="storage").update(retired_ms=NOW)
    Node.objects.update(draining=True)
    snapshot = _seen()
    kept.append((record_input(snapshot), snapshot))
    assert {row.base_id is None for row, _ in kept} == {True, False}
    assert all(_same(row, seen) for row, seen in kept)


def test_an_unchanged_input_is_not_written_again() -> None:
    submitted(home())
    machine()
    first = record_input(_seen())
    assert record_input(_seen(NOW + 5)) == first
    assert PlannerInput.objects.count() == 1


def test_the_whole_is_kept_again_after_many_steps() -> None:
    machine()
    seen = replace(_seen(), queue=tuple(Request(f"job {number:03}", (), number) for number in range(100)))
    rows = [record_input(replace(seen, currency=str(number))) for number in range(MOST_STEPS + 2)]
    assert [number for number, row in enumerate(rows) if row.base_id is None] == [0, MOST_STEPS + 1]
    assert _same(rows[-1], replace(seen, currency=str(MOST_STEPS + 1)))


def test_an_input_that_was_rolled_back_is_not_built_upon() -> None:
    viewer = home()
    machine()
    undone = transaction.savepoint()
    record_input(_seen())
    transaction.savepoint_rollback(undone)
    submitted(viewer)
    row = record_input(_seen())
    assert row.base_id is None and _same(row, _seen())
