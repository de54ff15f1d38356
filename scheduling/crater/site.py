"""The planner's own cluster as a Site for rounds.py: same feasibility, same scores, same ties."""

from bisect import insort
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property

from scheduling.crater.gang import Offer, is_gang, joined, members_in, members_of, place_gang
from scheduling.crater.gang_planner import offers_now
from scheduling.crater.model import Amounts, Device, Node, Pick, Placement, Request, Snapshot, member_key
from scheduling.crater.occupancy import Occupancy
from scheduling.crater.place import place
from scheduling.crater.planner import Planner
from scheduling.crater.running import Running
from scheduling.crater.scene import Scene
from scheduling.crater.turns import LossOn
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

    def __init__(self, snapshot: Snapshot, running: Sequence[Running] = (), planner: Planner | None = None) -> None:
        self._snapshot, self._planner = snapshot, planner or Planner(snapshot)
        self._nodes = {node.name: node for node in snapshot.nodes}
        self._held: dict[str, tuple[str, tuple[Pick, ...]]] = {}
        self.hear(running)
        self._asked: str | None = None  # booked with the planner, but nobody has taken it yet
        self._taken: dict[str, list[Pick]] = {}  # by node, not yet in `_nodes`
        self._refused: set[object] = set()

    def place(self, request: Request, gone: frozenset[str] = frozenset()) -> Placement | None:
        """The best place; of nodes that some of these running jobs would leave, were they gone."""
        self._untake()
        if gone and is_gang(request):
            return self._all_placed(request, gone)
        if gone:
            nodes = [node for node in self._without(gone) if self._could(request, node.name)]
            return self._placed(request, nodes)
        kind = self._planner.kind(request)
        if kind in self._refused:
            return None
        placement = self._planner.place(request)
        if placement is None:
            self._refused.add(kind)  # nothing is given back in a round: what was refused once is not tried again
        else:
            self._asked = request.job
        return placement

    def fits(self, request: Request, node: str, gone: frozenset[str]) -> bool:
        """Whether the request fits on this node, were these running jobs gone."""
        self._untake()
        if not self._could(request, node):
            return False
        after = self._node(node, [name for name in sorted(gone) if self._held[name][0] == node])
        return has_sums(request, after) and self._placed(request, [after]) is not None

    def seats(
        self, members: Sequence[Request], nodes: Sequence[str], loss: LossOn, *, simulated: bool
    ) -> tuple[str, ...]:
        """A node for each member: where there is room now, or on one of these nodes, at the least total loss."""
        self._untake()
        now = offers_now(self._planner, members[0], len(members) + len(nodes))
        able = {name for name in nodes if self._nodes[name].simulated == simulated}

        def offers(member: Request) -> list[Offer]:
            found = [offer._replace(cost=0) for offer in now(member) if offer.simulated == simulated]
            costs = [offer.cost for offer in found]  # kept sorted
            for name in sorted(able.difference(offer.node for offer in found)):
                # as many machines as there are members leave one for each: a dearer one is never needed
                ceiling = costs[len(members) - 1] if len(costs) >= len(members) else None
                cost = loss(member, name, ceiling) if self._could(member, name) else None
                if cost is not None:
                    found.append(Offer(name, cost, simulated))
                    insort(costs, cost)
            return found

        return place_gang(members, offers).nodes

    def take(self, placement: Placement) -> None:
        """Book the placement that was asked for last; it may be thought away like what runs."""
        self._asked = None
        for number, part in zip(members_in(placement), placement.parts, strict=True):
            key = part.job if number is None else member_key(part.job, number)
            self._held[key] = part.node, part.picks
            self._taken.setdefault(part.node, []).extend(part.picks)

    def free(self, device: str) -> Amounts:
        """What is free of a device now."""
        return next(d.free for d in self._node(self._home[device], ()).devices if d.uuid == device)

    @cached_property
    def _home(self) -> Mapping[str, str]:
        return {device.uuid: node.name for node in self._snapshot.nodes for device in node.devices}

    def hear(self, running: Iterable[Running]) -> None:
        """These run too, and may be thought away."""
        self._held |= {job.key: (job.node, job.picks) for job in running}

    def planner(self) -> Planner:
        """The planner as this round has left it."""
        self._untake()
        return self._planner

    def _untake(self) -> None:
        if self._asked is not None:
            self._planner.give_back(self._asked)
            self._asked = None

    def _could(self, request: Request, node: str) -> bool:
        """Whether an idle machine of this kind would do."""
        row = self._planner.grid.positions.get(node)
        if row is None:
            return False
        return self._planner.shape(request).hourly[self._planner.class_of(row)] is not None

    def _without(self, gone: frozenset[str]) -> list[Node]:
        leaving: dict[str, list[str]] = {}
        for name in sorted(gone):
            leaving.setdefault(self._held[name][0], []).append(name)
        return [self._node(name, jobs) for name, jobs in leaving.items() if name in self._nodes]

    def _node(self, name: str, gone: Sequence[str]) -> Node:
        if name in self._taken:
            self._nodes[name] = booked(self._nodes[name], self._taken.pop(name), 1)
        freed = [pick for job in gone for pick in self._held[job][1]]
        return booked(self._nodes[name], freed, -1) if freed else self._nodes[name]

    def _all_placed(self, request: Request, gone: frozenset[str]) -> Placement | None:
        """All members, each where there is room now or on a node that some of these would leave."""
        members = members_of(request)
        left = {node.name: node for node in self._without(gone)}
        now = offers_now(self._planner, request, len(members) + len(left))

        def offers(member: Request) -> list[Offer]:
            found = [offer for offer in now(member) if offer.node not in left]
            nodes = [n for n in left.values() if self._could(member, n.name) and has_sums(member, n)]
            return [*found, *(Offer(n.name, 0, n.simulated) for n in nodes if self._placed(member, [n]) is not None)]

        answer = place_gang(members, offers)
        if not answer.fits:
            return None
        nodes = [left.get(name) or self._node(name, ()) for name in answer.nodes]
        parts = [self._placed(member, [node]) for member, node in zip(members, nodes, strict=True)]
        whole = joined(request, [part for part in parts if part is not None], None)
        if request.cap_nano is not None and (whole.predicted_nano or 0) > request.cap_nano:
            return None
        return whole

    def _placed(self, request: Request, nodes: Sequence[Node]) -> Placement | None:
        scene = Scene(replace(self._snapshot, nodes=tuple(nodes)))
        return place(request, Occupancy.of(nodes), scene) if nodes else None


def has_sums(request: Request, node: Node) -> bool:
    """Whether the node has enough in all, wherever it is: a quick no before the exact search."""
    free: dict[tuple[str, str], int] = {}
    for device in node.devices:
        for name, amount in device.free.items():
            free[device.type, name] = free.get((device.type, name), 0) + amount
    asked: dict[tuple[str, str], int] = {}
    for need in request.needs:
        for name, amount in need.amounts.items():
            asked[need.type, name] = asked.get((need.type, name), 0) + amount * need.count
    return all(amount <= free.get(key, 0) for key, amount in asked.items())
