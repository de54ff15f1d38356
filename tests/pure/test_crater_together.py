"""Each need fits alone, all of them do not: what is said then, whatever the order of the input?"""

import pytest

from scheduling.crater.model import Device, Need, Node, Shortfall
from scheduling.crater.plan import plan
from tests.pure.crater_cases import cluster, job


def disk(name: str, has: int, free: int) -> Device:
    return Device(name, "storage", None, None, {"storage_bandwidth": has}, {"storage_bandwidth": free})


def part(amount: int) -> Need:
    return Need("storage", amounts={"storage_bandwidth": amount})


def reason(*disks: Device, needs: tuple[Need, ...], **more: object) -> tuple[Shortfall | None, dict[str, int]]:
    refusal = plan(cluster(Node("n0", disks), queue=(job("j", *needs, **more),))).refusals[0]
    return refusal.nearest, dict(refusal.counts)


@pytest.mark.parametrize("turned", [False, True])
def test_a_share_is_summed_at_its_least(turned: bool) -> None:
    disks = [disk("a", 20, 8), disk("b", 30, 0)]
    two = (Need("storage", shares={"storage_bandwidth": 400_000}),) * 2
    nearest, _ = reason(*(disks[::-1] if turned else disks), needs=two, is_spread=True)
    assert nearest is not None and (nearest.need, nearest.have, nearest.short) == (16, 8, 8)


@pytest.mark.parametrize("cap_nano", [None, 10**18])
def test_pieces_too_small_for_the_last_part_are_no_missing_device(cap_nano: int | None) -> None:
    nearest, counts = reason(disk("a", 10, 10), disk("b", 10, 10), needs=(part(6),) * 3, cap_nano=cap_nano)
    assert nearest == Shortfall("free", "n0", None, "storage", None, 3, 2, 1) and counts == {"free": 1}


def test_parts_that_must_be_apart_need_as_many_devices() -> None:
    nearest, counts = reason(disk("a", 20, 20), disk("b", 20, 2), needs=(part(6),) * 2, is_spread=True)
    assert nearest is not None and (nearest.rule, nearest.need, nearest.have) == ("free", 2, 1)
    assert counts == {"free": 1}


def test_several_of_one_need_count_each() -> None:
    needs = (part(4), Need("storage", count=3, amounts={"storage_bandwidth": 6}))
    nearest, _ = reason(*(disk(name, 8, 8) for name in "abc"), needs=needs)
    assert nearest is not None and (nearest.need, nearest.have, nearest.short) == (4, 3, 1)
