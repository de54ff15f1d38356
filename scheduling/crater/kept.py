"""What does a planner keep from round to round, and how is it brought level with the cluster as it is now?

Kept are machines in class order, arrays, compiled requests and their scores. Machines that are the same objects as
last time are not looked at. Where one differs in what is free, its row is set; where anything else differs (a machine
more or less, health, attributes, prices) the machines are grouped again; another mix is priced on the same rows.
The law: a plan with memory is the plan without. What the planner itself gave away last time may never have been
committed, so the rows that it touched are set as well. Nothing here is ever believed: the snapshot says what is.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from operator import attrgetter

from scheduling.crater.compiled import FAST
from scheduling.crater.fleet import Arranged, arranged, grouped
from scheduling.crater.mix import mix_of
from scheduling.crater.model import Device, Node, Price, Snapshot
from scheduling.crater.planner import Planner
from scheduling.crater.sound import check_names, check_price, once, sound_node
from scheduling.crater.vector import names_cores

#: Rows of compiled requests, and ways to be alike, at which a long life starts over.
MOST_CODE, MOST_WORDS = 1_000_000, 10_000
_make = attrgetter(*("uuid", "type", "numa_node", "parent", "usable", "unusable_reason", "attributes", "capacity"))


@dataclass(frozen=True, slots=True)
class Machine:
    """One machine as it was given, without impossible numbers, and arranged; None when it is unusable."""

    given: Node
    sound: Node
    arranged: Arranged | None


class Memory:
    """Lends what is kept to one round at a time; another round meanwhile begins with nothing."""

    def __init__(self, *, fast: bool = FAST) -> None:
        self._fast = fast
        self._kept: list[Kept] = []

    def lend(self) -> "Kept":
        """What is kept. Whoever fails does not give it back, and it is forgotten."""
        try:
            return self._kept.pop()
        except IndexError:
            return Kept(fast=self._fast)

    def take_back(self, kept: "Kept") -> None:
        """Keep it for the next round."""
        self._kept[:] = [kept]


class Kept:
    """One planner and the machines it knows."""

    def __init__(self, *, fast: bool = FAST) -> None:
        self._fast = fast
        self._machines: dict[str, Machine] = {}
        self._odd: dict[str, Node] = {}  # machines with impossible numbers, without them
        self._words: dict[object, str] = {}
        self._prices: tuple[Price, ...] = ()
        self._rates: dict[tuple[str, str], int] = {}
        self._planner: Planner | None = None

    def level(self, snapshot: Snapshot) -> Planner:
        """The planner as a new one would be. Errors: BadSnapshot, and then this must not be used again."""
        nodes = {node.name: node for node in snapshot.nodes}
        if len(nodes) < len(snapshot.nodes):
            nodes = {node.name: node for node in once("node", ((node.name, node) for node in snapshot.nodes))}
        gone = self._machines.keys() - nodes.keys()
        for name in gone:
            del self._machines[name]
            self._odd.pop(name, None)
        repriced = self._repriced(snapshot.prices)
        changed = [node for name, node in nodes.items() if name in repriced or not self._knows(name, node)]
        renewed = self._renewed(changed, repriced)
        if self._odd or len(nodes) < len(snapshot.nodes):
            snapshot = replace(snapshot, nodes=tuple(self._odd.get(name, node) for name, node in nodes.items()))
        return self._planned(snapshot, None if gone or repriced else renewed)

    def _knows(self, name: str, node: Node) -> bool:
        machine = self._machines.get(name)
        return machine is not None and machine.given is node

    def _repriced(self, prices: tuple[Price, ...]) -> set[str]:
        """Machines on which a rate has changed; whether there are prices at all concerns everyone."""
        if prices is self._prices:
            return set()
        for price in prices:
            check_price(price)
        rates = {(price.device, price.dimension): price.rate_nano_per_hour for price in prices}
        other = {device for (device, _), _ in rates.items() ^ self._rates.items()}
        everyone = bool(rates) != bool(self._rates)
        self._prices, self._rates = prices, rates
        if not other:
            return set()
        machines = self._machines.items()
        return {name for name, one in machines if everyone or any(d.uuid in other for d in one.sound.devices)}

    def _renewed(self, changed: Iterable[Node], repriced: set[str]) -> Sequence[Machine] | None:
        """The machines that changed, when nothing but what is free did; None when machines must be grouped again."""
        renewed, only_load = list[Machine](), True
        for node in changed:
            before, fine = self._machines.get(node.name), sound_node(node)
            same = before is not None and node.name not in repriced and differ_in_load(before.sound, fine)
            if same and before is not None:
                order = before.arranged and (before.arranged[0], _ordered(fine, before.arranged[1]))
            else:
                only_load, order = False, arranged(fine, self._rates, self._words) if fine.usable else None
            machine = self._machines[node.name] = Machine(node, fine, order)
            renewed.append(machine)
            if fine is node:
                self._odd.pop(node.name, None)
            else:
                self._odd[node.name] = fine
        return renewed if only_load else None

    def _planned(self, snapshot: Snapshot, renewed: Sequence[Machine] | None) -> Planner:
        planner = self._planner
        if planner is None or renewed is None or len(self._words) > MOST_WORDS:
            return self._grouped(snapshot)
        planner.scene = planner.scene.later(snapshot)
        rows = {row: planner.grid.nodes[row] for row in planner.touched}
        rows |= {planner.grid.positions[m.given.name]: m.arranged[1] for m in renewed if m.arranged}
        planner.renew(rows)
        if planner.mix != (snapshot.mix or mix_of(snapshot.queue)) or planner.board.tables.code.used > MOST_CODE:
            planner.begin(planner.grid, planner.board.arrays.nodes)
        return planner

    def _grouped(self, snapshot: Snapshot) -> Planner:
        """Everything anew from machines that are arranged already."""
        if len(self._words) > MOST_WORDS:
            self._words.clear()
        check_names(machine.sound for machine in self._machines.values())
        grid = grouped(machine.arranged for machine in self._machines.values() if machine.arranged)
        self._planner = Planner(snapshot, fast=self._fast, grid=grid)
        return self._planner


def differ_in_load(before: Node, now: Node) -> bool:
    """Whether everything but what is free of the devices is the same."""
    if (before.usable, before.simulated) != (now.usable, now.simulated) or len(before.devices) != len(now.devices):
        return False
    pairs = zip(before.devices, now.devices, strict=True)
    return all(
        one is other or (names_cores(one) == names_cores(other) and _make(one) == _make(other)) for one, other in pairs
    )


def _ordered(node: Node, like: Node) -> Node:
    """The machine with its devices in the order of one that is made alike."""
    devices: Mapping[str, Device] = {device.uuid: device for device in node.devices}
    return replace(like, devices=tuple(devices[device.uuid] for device in like.devices))
