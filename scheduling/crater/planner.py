"""Place one request after the other on a cluster that is kept between decisions.

A Planner answers each request with a Placement or a Refusal and remembers what it gave away;
`give_back` frees it again. `plan` (plan.py) runs it over the queue of one snapshot; a service
or a benchmark may keep one running. Equal requests share all that is worked out for them.
"""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from fractions import Fraction
from itertools import count

from scheduling.crater.board import Board
from scheduling.crater.compiled import FAST
from scheduling.crater.fleet import CORES, Fleet, fleet
from scheduling.crater.found import Found, Slots
from scheduling.crater.gang import is_gang
from scheduling.crater.gang_planner import place_members
from scheduling.crater.gang_why import why_no_gang
from scheduling.crater.kernels import CLASS, NEVER, Ints
from scheduling.crater.market import market
from scheduling.crater.mix import mix_of
from scheduling.crater.model import Node, Pick, Placement, Ranking, Refusal, Request, Snapshot
from scheduling.crater.occupancy import Occupancy
from scheduling.crater.programs import is_regular
from scheduling.crater.scene import Scene
from scheduling.crater.scores import MONEY, Parts, chance, per_hour, price, terms
from scheduling.crater.search import Search
from scheduling.crater.shape import Held, Shape, hourly_on
from scheduling.crater.sound import sound
from scheduling.crater.vector import frozen, names_cores
from scheduling.crater.whynot import nowhere, why_not

#: Shapes kept at once: each has a score of four bytes for every node.
MOST_SHAPES = 1024
MOST_KEYS = 65_536


class Planner:
    """Decisions on one cluster; see the module. `grid`: the machines of a sound snapshot, where they are known."""

    def __init__(self, snapshot: Snapshot, *, fast: bool = FAST, grid: Fleet | None = None) -> None:
        self.scene = Scene(sound(snapshot) if grid is None else snapshot)
        self.fast, self.version = fast, 0
        self.begin(grid or fleet(self.scene.snapshot.nodes, self.scene.rates))

    def begin(self, grid: Fleet, rows: Ints | None = None) -> None:
        """Work everything out for these machines and the scene's demand; `rows` of the arrays, if they are known."""
        snapshot = self.scene.snapshot
        self.grid, self.mix = grid, snapshot.mix or mix_of(snapshot.queue)
        self.board = Board(grid, market(grid, self.mix), fast=self.fast, rows=rows)
        self.shapes: dict[object, Shape] = {}
        self.held: dict[str, Held] = {}
        self.gangs: dict[str, tuple[str, ...]] = {}  # job -> the names of its members
        self.touched: set[int] = set()  # rows that are no longer as the machines were
        self.broken = len(snapshot.nodes) - len(self.grid.nodes)
        self._templates: dict[tuple[int, Slots], tuple[tuple[int, Pick], ...]] = {}
        self._keys: dict[int, tuple[object, int]] = {}
        self._numbers: dict[object, int] = {}  # what is asked for, hashed once; no number is used twice
        self._next = count()
        self._hourly: dict[tuple[int, Slots], Fraction] = {}
        self._names = [node.name for node in self.grid.nodes]
        self._classes: list[int] = self.board.arrays.nodes[:, CLASS].tolist()
        self._cores = {d.uuid: d.cpus for node in self.grid.nodes for d in node.devices if names_cores(d)}

    def renew(self, nodes: Mapping[int, Node]) -> None:
        """These rows' machines as they are now, equal but for what is free; whatever was held is forgotten."""
        known = list(self.grid.nodes)
        for row, node in nodes.items():
            known[row] = node
            self._cores.update((device.uuid, device.cpus) for device in node.devices if names_cores(device))
        self.grid = replace(self.grid, nodes=tuple(known))
        self.board.renew(self.grid, sorted(nodes))
        self.held.clear()
        self.gangs.clear()
        self.touched.clear()
        self.version += 1

    def place(self, request: Request) -> Placement | None:
        """The best place for the request, booked; None when it fits nowhere."""
        if not self.grid.nodes:
            return None
        return place_members(self, request) if is_gang(request) else self._placed(request, self.shape(request))

    def decide(self, request: Request) -> Placement | Refusal:
        """Place the request, or say at once what stands in the way (whynot.py)."""
        if not self.grid.nodes or request.is_apart:
            return self.place(request) or self.why_not(request)
        shape = self.shape(request)
        return self._placed(request, shape) or why_not(self, request, shape)

    def why_not(self, request: Request) -> Refusal:
        """What stands in the way of a request that was just found to fit nowhere."""
        if is_gang(request):
            return why_no_gang(self, request, self.why_not)
        return why_not(self, request, self.shape(request)) if self.grid.nodes else nowhere(self, request)

    def _placed(self, request: Request, shape: Shape) -> Placement | None:
        if shape.search is not None:
            found = shape.search.best(self, request, shape)
        elif request.cap_nano is None and not request.avoid_nodes:
            found = self.board.place(shape.number)
        else:
            node = self._choose(request, shape)
            found = self.board.book(shape.number, node) if node >= 0 else None
        return None if found is None else self.booked(request, shape, found)

    def give_back(self, job: str) -> None:
        """Free what the job holds."""
        for name in self.gangs.pop(job, (job,)):
            held = self.held.pop(name)
            self.touched.add(held.node)
            self.board.move(held.node, held.slots, 1)
            for device, cpus in held.cpus:
                self._cores[device] = tuple(sorted((*self._cores[device], *cpus)))
            self.version += 1

    def hold(self, job: str, row: int, slots: Slots) -> None:
        """Book slots that are known from elsewhere; no core numbers are handed out."""
        self.board.move(row, slots, -1)
        self.held[job] = Held(row, slots, ())
        self.touched.add(row)
        self.version += 1

    def shape(self, request: Request) -> Shape:
        """What is known about all requests that ask for the same."""
        key = self._key(request)
        known = self.shapes.get(key)
        if known is None:
            if len(self.shapes) >= MOST_SHAPES:
                self.board.forget()
                self.shapes.clear()
            known = self.shapes[key] = self._compile(request)
        return known

    def kind(self, request: Request) -> object:
        """Equal for requests that are placed, or refused and explained, alike; no wish ever decides that."""
        capped = request.cap_nano is not None and request.runtime is not None
        return self._key(request), request.cap_nano, request.runtime if capped else None

    def nearest(self, request: Request, most: int) -> list[int]:
        """Rows of the nodes that lack least."""
        number = self.shape(request).number
        return self.board.by_distance(number, most) if number >= 0 else list(range(min(most, len(self.grid.nodes))))

    def occupancy(self) -> Occupancy:
        """What is left of every device, as explain.py reads it."""
        return self.node_state(range(len(self.grid.nodes)))

    def node_state(self, rows: Iterable[int]) -> Occupancy:
        """What is left of the devices of some nodes."""
        free: dict[str, dict[str, int]] = {}
        for row in rows:
            node, group = self.grid.nodes[row], self.grid.classes[self.class_of(row)]
            values = self.board.free(row)
            free.update({device.uuid: {} for device in node.devices})
            for (position, name), value in zip(group.columns, values, strict=False):
                if name != CORES:
                    free[node.devices[position].uuid][name] = value
        return Occupancy.from_amounts(free, self._cores)

    def class_of(self, row: int) -> int:
        """The number of the node's class."""
        return self._classes[row]

    def _key(self, request: Request) -> object:
        known = self._keys.get(id(request.needs))
        if known is None or known[0] is not request.needs:
            if len(self._keys) >= MOST_KEYS:
                self._keys.clear()
                self._numbers.clear()
            shaped = tuple(
                (n.type, n.count, n.constraints, frozen(n.amounts), frozen(n.shares), n.component)
                for n in request.needs
            )
            known = self._keys[id(request.needs)] = request.needs, self._numbers.setdefault(shaped, next(self._next))
        apart = request.is_apart, request.is_spread
        return known[1], request.same, request.allow_cross_numa, request.policy, request.near, apart

    def _compile(self, request: Request) -> Shape:
        hourly = tuple(hourly_on(request, group, self.scene) for group in self.grid.classes)
        costs = [cost for cost in hourly if cost is not None]
        cheapest, weight = min(costs, default=Fraction(0)), MONEY[request.policy]
        adjust = tuple(
            NEVER if cost is None else -round(weight * (1 - cheapest / cost)) if cost else 0 for cost in hourly
        )
        if is_regular(request, self.grid.classes):
            return Shape(self.board.shape(request, adjust), None, hourly, adjust, bool(costs))
        return Shape(-1, Search(), hourly, adjust, bool(costs))

    def _choose(self, request: Request, shape: Shape) -> int:
        """The best node under the request's cap and wishes."""
        row = self.board.arrays.adjust[shape.number]
        cap = request.cap_nano if request.runtime is not None and self.scene.rates else None
        if cap is not None:
            row[:] = [
                NEVER if cost is None or (price(request, cost, self.scene) or 0) > cap else points
                for cost, points in zip(shape.hourly, shape.adjust, strict=True)
            ]
        node = self.board.choose(shape.number)
        if node >= 0 and request.avoid_nodes:
            node = self.board.choose_beside(shape.number, self._rows(request.avoid_nodes), node)
        if cap is not None:
            row[:] = shape.adjust
        return node

    def _rows(self, names: Iterable[str]) -> list[int]:
        return [self.grid.positions[name] for name in names if name in self.grid.positions]

    def _picks(self, request: Request, found: Found) -> tuple[Pick, ...]:
        """The devices of a booked place by name, with core numbers handed out."""
        devices = self.grid.nodes[found.row].devices
        picks = tuple(
            [
                self._pinned(devices[at].uuid, pick)
                if pick.cpus
                else Pick(devices[at].uuid, pick.type, pick.amounts, (), pick.numa_node)
                for at, pick in self._template(self._classes[found.row], found.slots)
            ]
        )
        self.touched.add(found.row)
        self.held[request.job] = Held(found.row, found.slots, tuple([(p.device, p.cpus) for p in picks if p.cpus]))
        self.version += 1
        return picks

    def booked(self, request: Request, shape: Shape, found: Found) -> Placement:
        """The placement in words."""
        picks, position = self._picks(request, found), self._classes[found.row]
        runtime, promised = request.runtime, chance(request, self.scene.snapshot.now_ms)
        priced = runtime is not None and self.scene.rates
        nano = price(request, self._cost(position, found.slots, picks), self.scene) if priced else None
        money = 1 + shape.adjust[position] / MONEY[request.policy]
        parts = Parts(-(found.score + found.fit + found.crossing), found.fit, found.scarcity, found.crossing, money)
        return Placement(
            job=request.job,
            node=self._names[found.row],
            picks=picks,
            score=terms(request, parts, nano, promised),
            predicted_ms=runtime.p50_ms if runtime else None,
            predicted_p90_ms=runtime.p90_ms if runtime else None,
            predicted_nano=nano,
            on_time=promised,
            candidates=found.fitting,
            best=self.ranking(*found.ranked),
        )

    def ranking(self, rows: list[int], micro: list[int]) -> Ranking:
        """Rows and their figures by name."""
        return Ranking(tuple(map(self._names.__getitem__, rows)), tuple(micro))

    def _template(self, position: int, slots: Slots) -> tuple[tuple[int, Pick], ...]:
        """(device position, pick without names) for each slot, in the order of the needs."""
        key = position, slots
        known = self._templates.get(key)
        if known is None:
            if len(self._templates) >= MOST_KEYS:
                self._templates.clear()
                self._hourly.clear()
            group = self.grid.classes[position]
            known = self._templates[key] = self.board.picks_of(group, slots)
        return known

    def _cost(self, position: int, slots: Slots, picks: tuple[Pick, ...]) -> Fraction:
        """An hour of the picks: equal on all nodes of a class."""
        key = position, slots
        if key not in self._hourly:
            self._hourly[key] = per_hour(picks, self.scene) if self.scene.rates else Fraction(0)
        return self._hourly[key]

    def _pinned(self, device: str, pick: Pick) -> Pick:
        """The pick on this device, with the lowest free core numbers instead of the sample's."""
        free, count = self._cores[device], len(pick.cpus)
        self._cores[device] = free[count:]
        return Pick(device, pick.type, pick.amounts, free[:count], pick.numa_node)
