"""Which nodes are alike, and where does each figure of a node stand in the arrays?

Nodes whose devices agree position by position (type, capacity, attributes, place in the tree,
price) form one class: what is worked out for a class holds for all its nodes. A node's free
amounts are one row of integers; a class says which column is which dimension of which device.
Nodes are ordered by class, then name, so that one class is one slice of every array.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

from scheduling.crater.model import Attribute, Device, Node
from scheduling.crater.paths import LINK
from scheduling.crater.vector import CPU, names_cores

#: Attributes that tell devices apart without saying what they can do.
_IDENTITY = frozenset({"pci_bus_id", "upstream_pci_bus_id", "serial", "mac", "minor", "name", "path"})
CORES = "cores"  # the column of free core numbers, where a device names its cores
GPU = "gpu"
LEVELS = 100  # a device's residual is one of 101 levels: the free share of its scarcest dimension

Rates = Mapping[tuple[str, str], int]
Arranged = tuple[str, Node]  # what makes it equal to another, and the node with its devices in class order


@dataclass(frozen=True)
class NodeClass:
    """Nodes that are equal but for their names: `sample` stands for all of them."""

    sample: Node  # devices in class order
    names: tuple[str, ...]
    columns: tuple[tuple[int, str], ...]  # column -> (device position, dimension)
    start: int  # first row

    @property
    def gpus(self) -> tuple[int, ...]:
        """Positions of the devices whose residual has a level."""
        return tuple(i for i, device in enumerate(self.sample.devices) if device.type == GPU)

    @property
    def has_links(self) -> bool:
        """Whether the machine's uplinks are known."""
        return any(device.type == LINK for device in self.sample.devices)

    @property
    def cores(self) -> int:
        """Millicores of the empty node."""
        return sum(device.capacity.get(CPU, 0) for device in self.sample.devices)

    @property
    def kind(self) -> tuple[object, ...]:
        """What the class's GPUs are: equal kinds are equally scarce."""
        return tuple(sorted({_nature(self.sample.devices[i])[2:] for i in self.gpus}, key=repr))


@dataclass(frozen=True)
class Fleet:
    """All usable nodes in the order of the arrays."""

    classes: tuple[NodeClass, ...]
    nodes: tuple[Node, ...]
    positions: Mapping[str, int]  # node name -> row

    @property
    def width(self) -> int:
        return max((len(c.columns) for c in self.classes), default=1)


def fleet(nodes: Iterable[Node], rates: Rates) -> Fleet:
    """Usable nodes grouped into classes; equal whatever the order of the input."""
    known: dict[object, str] = {}
    return grouped(arranged(node, rates, known) for node in nodes if node.usable)


def grouped(nodes: Iterable[Arranged]) -> Fleet:
    """Arranged nodes as classes."""
    keyed = sorted(nodes, key=lambda pair: (pair[0], pair[1].name))
    classes: list[NodeClass] = []
    rows: list[Node] = []
    for _, members in groupby(keyed, key=lambda pair: pair[0]):
        group = [node for _, node in members]
        names = tuple(node.name for node in group)
        classes.append(NodeClass(group[0], names, _columns(group[0]), len(rows)))
        rows.extend(group)
    return Fleet(tuple(classes), tuple(rows), {node.name: row for row, node in enumerate(rows)})


def free_row(node: Node, columns: Sequence[tuple[int, str]]) -> list[int]:
    """The node's free amounts in the order of its class's columns."""
    return [len(node.devices[i].cpus) if name == CORES else node.devices[i].free.get(name, 0) for i, name in columns]


def _columns(node: Node) -> tuple[tuple[int, str], ...]:
    found = []
    for index, device in enumerate(node.devices):
        found += [(index, name) for name in sorted(device.capacity)]
        if names_cores(device):
            found.append((index, CORES))
    return tuple(found)


def arranged(node: Node, rates: Rates, known: dict[object, str]) -> Arranged:
    """What makes the node equal to another, in words, and the node with its devices in class order.

    `known` keeps the words: writing them takes longer than all else.
    """
    parts = []
    for device in node.devices:
        priced = tuple((name, rates.get((device.uuid, name))) for name in sorted(device.capacity)) if rates else ()
        parts.append(((*_nature(device), device.usable, names_cores(device), priced), device))
    parts.sort(key=lambda part: (repr(part[0]), part[1].uuid))
    places = {device.uuid: index for index, (_, device) in enumerate(parts)}
    shape = tuple((nature, places.get(d.parent or "", d.parent and -1)) for nature, d in parts)
    key = known.get(shape)
    if key is None:
        key = known[shape] = repr(shape)
    return key, Node(node.name, tuple(device for _, device in parts), node.usable, None, node.simulated)


def _nature(device: Device) -> tuple[object, ...]:
    return device.type, device.numa_node, tuple(sorted(device.capacity.items())), _described(device.attributes)


def _described(attributes: Mapping[str, Attribute]) -> tuple[tuple[str, Attribute], ...]:
    return tuple(sorted((name, value) for name, value in attributes.items() if name not in _IDENTITY))
