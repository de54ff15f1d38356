"""What stays the same for all decisions on one snapshot, worked out once."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property

from scheduling.crater.model import Device, Node, Snapshot


@dataclass(frozen=True)
class Scene:
    """Look-ups over a snapshot, and the same cluster without any load."""

    snapshot: Snapshot

    @cached_property
    def rates(self) -> Mapping[tuple[str, str], int]:
        return {(p.device, p.dimension): p.rate_nano_per_hour for p in self.snapshot.prices}

    def later(self, snapshot: Snapshot) -> "Scene":
        """Another instant of the same machines at the same prices: look-ups that nothing free enters are kept."""
        scene = Scene(snapshot)
        kept = {name: made for name, made in vars(self).items() if name in ("rates", "devices", "rarity")}
        vars(scene).update(kept)
        return scene

    @cached_property
    def devices(self) -> Mapping[str, Device]:
        return {device.uuid: device for node in self.snapshot.nodes for device in node.devices}

    @cached_property
    def rarity(self) -> Mapping[str, float]:
        """Device type -> share of nodes that do not have it."""
        nodes = self.snapshot.nodes
        types = {device.type for node in nodes for device in node.devices}
        having = {kind: sum(any(d.type == kind for d in node.devices) for node in nodes) for kind in types}
        return {kind: 1 - count / len(nodes) for kind, count in having.items()}

    @cached_property
    def emptied(self) -> "Scene":
        """The cluster with nothing running and everything repaired: what could ever fit."""
        nodes = tuple(_emptied(node) for node in self.snapshot.nodes)
        return Scene(replace(self.snapshot, nodes=nodes))


def _emptied(node: Node) -> Node:
    devices = tuple(replace(d, free=d.capacity, usable=True, cpus=(), pins=False) for d in node.devices)
    return replace(node, devices=devices, usable=True)
