"""Oversubscription is refused by the database, whatever the code does."""

import pytest
from django.db import IntegrityError, transaction
from django.db.models import F, Model

from scheduling.models import Allocation, Attempt, Decision, Device, DeviceCapacity, Job
from scheduling.services.placement import place_waiting
from scheduling.services.release import release_due, start_releasing
from tests.world import NOW, FlatRates, home, machine, reserved_cores, submitted


def test_reserving_above_capacity_is_refused() -> None:
    machine(cores=2)
    rows = DeviceCapacity.objects.filter(device__type="cpu")
    with pytest.raises(IntegrityError, match="cpu_millicores"), transaction.atomic():
        rows.update(reserved_cpu_millicores=2001)
    assert reserved_cores() == 0


def test_an_unknown_capacity_cannot_be_reserved() -> None:
    machine()
    with pytest.raises(IntegrityError), transaction.atomic():
        DeviceCapacity.objects.filter(device__type="cpu").update(reserved_storage_iops=1)


def test_reserved_never_falls_below_zero() -> None:
    machine()
    with pytest.raises(IntegrityError), transaction.atomic():
        DeviceCapacity.objects.update(reserved_cpu_millicores=F("reserved_cpu_millicores") - 1)


def test_losing_capacity_flags_the_row_and_takes_nothing_new() -> None:
    machine(cores=2)
    rows = DeviceCapacity.objects.filter(device__type="cpu")
    rows.update(reserved_cpu_millicores=1500)
    machine(cores=1)
    assert rows.get().overcommitted
    with pytest.raises(IntegrityError), transaction.atomic():
        rows.update(reserved_cpu_millicores=1600)
    rows.update(reserved_cpu_millicores=500)
    assert not rows.get().overcommitted


def test_the_queue_never_gets_more_than_there_is() -> None:
    viewer = home()
    machine(cores=2)
    for _ in range(4):
        submitted(viewer)
    assert place_waiting(prices=FlatRates(), now_ms=NOW).placed == 2
    held = Allocation.objects.filter(dimension="cpu_millicores")
    assert reserved_cores() == sum(a.amount for a in held) == 2000
    assert sorted(core for a in held for core in a.cpus) == [0, 1]


def test_a_claim_is_released_once_after_its_grace() -> None:
    viewer = home()
    machine()
    submitted(viewer)
    place_waiting(prices=FlatRates(), now_ms=NOW)
    attempt = Allocation.objects.select_related("attempt")[0].attempt
    start_releasing(attempt, grace_ms=2000, now_ms=NOW)
    assert release_due(now_ms=NOW + 1999) == 0
    assert release_due(now_ms=NOW + 2000) == 3
    assert release_due(now_ms=NOW + 9000) == 0
    assert reserved_cores() == 0


def test_decisions_cannot_be_rewritten() -> None:
    viewer = home()
    machine()
    submitted(viewer)
    place_waiting(prices=FlatRates(), now_ms=NOW)
    with pytest.raises(IntegrityError, match="append-only"), transaction.atomic():
        Decision.objects.update(outcome="refused")


@pytest.mark.parametrize("model", [Device, Attempt, Job])
def test_what_claims_and_decisions_refer_to_cannot_be_deleted(model: type[Model]) -> None:
    viewer = home()
    machine()
    submitted(viewer)
    place_waiting(prices=FlatRates(), now_ms=NOW)
    rows = model._default_manager.order_by("pk")
    with pytest.raises(IntegrityError, match="is referred to"), transaction.atomic():
        rows._raw_delete(using="default")
