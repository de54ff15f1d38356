"""The core is broken on purpose: the database refuses what cannot be, and all other placements stand."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from django.db.models import Sum

from scheduling.crater.model import Placement, Plan, Snapshot
from scheduling.crater.plan import plan
from scheduling.models import Allocation, Attempt, Decision, Device, DeviceCapacity, Job, Node
from scheduling.services.placement import Round, commit, place_waiting
from scheduling.snapshot import build_snapshot
from tests.world import NOW, FlatRates, home, machine, reserved_cores, submitted

GOOD = 2


def _planned() -> tuple[Snapshot, Plan]:
    """Three jobs on one machine with room for eight."""
    viewer = home()
    machine(cores=8)
    for number in range(GOOD + 1):
        submitted(viewer, now_ms=NOW + number)
    snapshot = build_snapshot(prices=FlatRates(), now_ms=NOW)
    return snapshot, plan(snapshot)


def _amount(value: Any) -> Callable[[Placement], Placement]:
    def changed(placement: Placement) -> Placement:
        cores, *others = placement.picks
        return replace(placement, picks=(replace(cores, amounts={**cores.amounts, "cpu_millicores": value}), *others))

    return changed


def _pick(**changes: Any) -> Callable[[Placement], Placement]:
    return lambda placement: replace(placement, picks=(replace(placement.picks[0], **changes), *placement.picks[1:]))


BREAKS: dict[str, Callable[[Placement], Placement]] = {
    "more than there is": _amount(6001),
    "less than nothing": _amount(-1000),
    "nothing": _amount(0),
    "more than a number holds": _amount(2**70),
    "a fraction": _amount(1.5),
    "no number": _amount(float("nan")),
    "infinity": _amount(float("inf")),
    "an unknown device": _pick(device="worker-0/gpu9"),
    "an unknown dimension": _pick(amounts={"luck": 1}),
    "an unknown capacity": _pick(amounts={"storage_iops": 1}),
    "a core that is not there": _pick(cpus=(99,)),
    "a core of another job": _pick(cpus=(0,)),
    "one core twice": _pick(cpus=(5, 5)),
    "an unknown machine": lambda placement: replace(placement, node="worker-9"),
    "a score that is no number": lambda placement: replace(placement, on_time=float("nan")),
}


@pytest.mark.parametrize("broken", BREAKS.values(), ids=BREAKS)
def test_a_broken_placement_stays_alone(broken: Callable[[Placement], Placement]) -> None:
    snapshot, decided = _planned()
    *good, last = decided.placements
    assert good[0].picks[0].cpus == (0,)
    done = commit(snapshot, Plan((*good, broken(last))), now_ms=NOW)
    assert done == Round(placed=GOOD, refused=0, conflicted=1)
    _only_good_ones_stand(last.job)
    assert Decision.objects.get(job_id=last.job).outcome == "conflicted"
    assert place_waiting(prices=FlatRates(), now_ms=NOW).placed == 1


def _only_good_ones_stand(job: str) -> None:
    """Nothing is held by the job, and what is held is what was reserved."""
    assert Job.objects.get(pk=job).state == "queued"
    assert not Attempt.objects.filter(job_id=job).exists()
    assert Attempt.objects.count() == GOOD
    held = Allocation.objects.filter(dimension="cpu_millicores").aggregate(amount=Sum("amount"))
    assert held["amount"] == reserved_cores() == GOOD * 1000


def test_a_job_placed_twice_runs_once() -> None:
    snapshot, decided = _planned()
    twice = replace(decided.placements[0], picks=tuple(replace(p, cpus=()) for p in decided.placements[0].picks))
    done = commit(snapshot, Plan((*decided.placements, twice)), now_ms=NOW)
    assert (done.placed, done.conflicted) == (3, 1)
    assert Attempt.objects.filter(job_id=twice.job).count() == 1
    assert reserved_cores() == 3000


def test_a_job_that_nobody_asked_for_is_ignored() -> None:
    snapshot, decided = _planned()
    stranger = replace(decided.placements[0], job="no such job")
    assert commit(snapshot, Plan((stranger, *decided.placements)), now_ms=NOW).placed == 3


def test_two_picks_of_one_device_are_one_claim() -> None:
    snapshot, decided = _planned()
    first = decided.placements[0]
    half = replace(first.picks[0], amounts={"cpu_millicores": 400}, cpus=())
    both = replace(first, picks=(half, replace(half, cpus=(7,)), *first.picks[1:]))
    assert commit(snapshot, Plan((both,)), now_ms=NOW).placed == 1
    claim = Allocation.objects.get(dimension="cpu_millicores")
    assert (claim.amount, claim.cpus) == (800, [7])


def _retired() -> None:
    Device.objects.filter(type="cpu").update(retired_ms=NOW)


def _lowered() -> None:
    machine(cores=2)


def _deleted() -> None:
    DeviceCapacity.objects.all().delete()
    Device.objects.all().delete()
    Node.objects.all().delete()


@pytest.mark.parametrize(("vanish", "left"), [(_retired, 0), (_lowered, 2), (_deleted, 0)])
def test_what_vanished_after_the_plan_is_not_given(vanish: Callable[[], None], left: int) -> None:
    snapshot, decided = _planned()
    vanish()
    done = commit(snapshot, decided, now_ms=NOW)
    assert (done.placed, done.conflicted) == (left, 3 - left)
    again = place_waiting(prices=FlatRates(), now_ms=NOW)
    assert (again.placed, again.refused) == (0, 3 - left)
    assert not DeviceCapacity.objects.filter(overcommitted=True).exists()


def test_refusals_that_make_no_sense_are_noted_without_their_figures() -> None:
    viewer = home()
    machine(cores=1)
    submitted(viewer)
    submitted(viewer, now_ms=NOW + 1)
    snapshot = build_snapshot(prices=FlatRates(), now_ms=NOW)
    refused = plan(snapshot).refusals[0]
    assert refused.nearest is not None
    broken = replace(refused, nearest=replace(refused.nearest, need=float("nan")))
    commit(snapshot, Plan(refusals=(broken,)), now_ms=NOW)
    assert Decision.objects.get().answer == {"job": refused.job, "possible": True, "unstorable": True}
