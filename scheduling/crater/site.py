"""The planner's own cluster as a Site for rounds.py: same feasibility, same scores, same ties."""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from scheduling.crater.model import Amounts, Device, Node, Pick, Placement, Request, Snapshot
from scheduling.crater.occupancy import Occupancy
from scheduling.crater.place import place
from scheduling.crater.planner import Planner
from scheduling.crater.running import Running
from scheduling.crater.scene import Scene
from scheduling.crater.vector import minus


def booked(node: Node, picks: Iterable[Pick], sign: int) -> Node:
    """The node with the picks taken (1) or given back (-1)."""
    by_device: dict[str, list[Pick]] = {}
    for pick in picks:
        by_device.setdefault(pick.device, []).append(pick)
    devices = tuple(_changed(d, by_device[d.uuid], sign) if d.uuid in by_device else d for d in node.devices)
    return replace(node, devices=devices)


def _changed(device: Device, picks: Sequence[Pick], sign: int) -> Device:
    free, cpus = dict(device.free), set(device.cpus)
    for pick in picks:
        free = minus(free, {name: sign * amount for name, amount in pick.amounts.items()})
        cpus = cpus - set(pick.cpus) if sign > 0 else cpus | set(pick.cpus)
    return replace(device, free=free, cpus=tuple(sorted(cpus)))


class PlannedSite:
    """One snapshot during one round; `running` is what may be thought away."""

    def __init__(self, snapshot: Snapshot, running: Sequence[Running] = ()) -> None:
        self._snapshot, self._planner = snapshot, Planner(snapshot)
        self._nodes = {node.name: node for node in snapshot.nodes}
        self._held = {job.job: (job.node, job.picks) for job in running}
        self._asked: dict[str, Request] = {}

    def place(self, request: Request, gone: frozenset[str] = frozenset()) -> Placement | None:
        """The best place, were these running jobs gone."""
        if gone:
            return self._placed(request, self._without(gone))
        placement = self._planner.place(request)
        if placement is not None:
            self._planner.give_back(request.job)
            self._asked[request.job] = request
        return placement

    def fits(self, request: Request, node: str, gone: frozenset[str]) -> bool:
        """Whether the request fits on this node, were these running jobs gone."""
        return self._placed(request, [n for n in self._without(gone) if n.name == node]) is not None

    def take(self, placement: Placement) -> None:
        """Book a placement for the rest of the round; it may be thought away like what runs."""
        self._planner.place(self._asked[placement.job])  # nothing has changed since it was asked
        self._held[placement.job] = placement.node, placement.picks
        self._nodes[placement.node] = booked(self._nodes[placement.node], placement.picks, 1)

    def free(self, device: str) -> Amounts:
        """What is free of a device now."""
        return next(d.free for node in self._nodes.values() for d in node.devices if d.uuid == device)

    def _without(self, gone: frozenset[str]) -> list[Node]:
        nodes = dict(self._nodes)
        for name in sorted(gone):
            node, picks = self._held[name]
            if node in nodes:
                nodes[node] = booked(nodes[node], picks, -1)
        return list(nodes.values())

    def _placed(self, request: Request, nodes: Sequence[Node]) -> Placement | None:
        scene = Scene(replace(self._snapshot, nodes=tuple(nodes)))
        return place(request, Occupancy.of(nodes), scene) if nodes else None
