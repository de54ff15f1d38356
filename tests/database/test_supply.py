"""Machines are read again exactly when something of them has changed."""

from collections.abc import Callable, Collection
from dataclasses import replace

import pytest

from scheduling.crater.model import Node as CoreNode
from scheduling.models import Device, DeviceCapacity, Node
from scheduling.ports import Rate
from scheduling.selectors.rates import prices_of
from scheduling.selectors.supply import SILENT_AFTER_MS, nodes_now
from scheduling.services.placement import place_waiting
from tests.world import NOW, FlatRates, home, machine, submitted


def _node(now_ms: int = NOW) -> CoreNode:
    (node,) = nodes_now(now_ms=now_ms)
    return node


def test_an_unchanged_machine_is_the_same_object() -> None:
    machine()
    assert _node() is _node(NOW + 5)


def _placed() -> None:
    submitted(home())
    place_waiting(prices=FlatRates(), now_ms=NOW)


CHANGES: dict[str, tuple[Callable[[], object], Callable[[CoreNode], object], object]] = {
    "capacity": (lambda: machine(cores=4), lambda n: dict(n.devices[0].capacity), {"cpu_millicores": 4000}),
    "room": (_placed, lambda n: dict(n.devices[0].free), {"cpu_millicores": 1000}),
    "cores": (_placed, lambda n: n.devices[0].cpus, (1,)),
    "health": (
        lambda: Device.objects.filter(type="cpu").update(healthy=False, degraded_reason="hot"),
        lambda n: (n.devices[0].usable, n.devices[0].unusable_reason),
        (False, "hot"),
    ),
    "attributes": (
        lambda: Device.objects.update(model="x", attributes={"a": 1}),
        lambda n: dict(n.devices[0].attributes),
        {"a": 1, "vendor": "", "model": "x"},
    ),
    "retired": (lambda: Device.objects.filter(type="cpu").update(retired_ms=1), lambda n: len(n.devices), 2),
    "draining": (lambda: Node.objects.update(draining=True), lambda n: n.unusable_reason, "draining"),
    "simulated": (lambda: Node.objects.update(simulated=True), lambda n: n.simulated, True),
}


@pytest.mark.parametrize(("change", "look", "seen"), CHANGES.values(), ids=CHANGES)
def test_a_change_is_seen(change: Callable[[], object], look: Callable[[CoreNode], object], seen: object) -> None:
    machine()
    before = _node()
    change()
    assert look(before) != seen
    assert look(_node()) == seen


def test_a_silent_machine_is_unusable_until_it_speaks() -> None:
    machine()
    assert _node(NOW + SILENT_AFTER_MS + 1).unusable_reason == "agent_silent"
    assert _node(NOW).usable


def test_what_holds_more_than_it_has_is_unusable() -> None:
    machine()
    DeviceCapacity.objects.filter(device__type="cpu").update(reserved_cpu_millicores=1500)
    machine(cores=1)
    cores = _node().devices[0]
    assert (cores.unusable_reason, cores.free["cpu_millicores"]) == ("overcommitted", 0)


def test_a_machine_that_is_gone_is_forgotten() -> None:
    machine()
    assert _node()
    Device.objects.update(retired_ms=NOW)
    assert nodes_now(now_ms=NOW) == ()


class _Dear(FlatRates):
    """Another edition at twice the price."""

    def edition(self) -> str:
        return "dear"

    def rates(self, devices: Collection[str]) -> list[Rate]:
        return [replace(rate, nano_per_hour=2 * rate.nano_per_hour) for rate in super().rates(devices)]


def test_prices_follow_the_machine_and_the_edition() -> None:
    machine()
    first = prices_of([_node()], quotes=FlatRates())
    assert [price.dimension for price in first] == ["cpu_millicores"]
    assert prices_of([_node()], quotes=FlatRates()) is first
    assert prices_of([_node()], quotes=_Dear())[0].rate_nano_per_hour == 2 * first[0].rate_nano_per_hour
