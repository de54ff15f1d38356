"""Where does a request fit that asks for several devices of one type in different ways?

Choosing device by device could miss a fit, so each node is searched (fit.py), once for each
state that nodes are in: equal nodes share the answer. Worth, best fit and scarcity are the
same figures as for all other requests.
"""

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from scheduling.crater.arrays import RANKED
from scheduling.crater.explain import counts_of, judge
from scheduling.crater.filters import passes
from scheduling.crater.fit import fit
from scheduling.crater.fleet import GPU
from scheduling.crater.found import Found, Slots, Survey
from scheduling.crater.kernels import NEVER
from scheduling.crater.model import Node, Pick, Request
from scheduling.crater.near import RULES
from scheduling.crater.occupancy import Occupancy
from scheduling.crater.scores import price
from scheduling.crater.tables import WHOLE
from scheduling.crater.topology import Group, groups

if TYPE_CHECKING:
    from scheduling.crater.planner import Planner
    from scheduling.crater.shape import Shape

Fit = tuple[Slots, tuple[int, int, int]]  # slots; score, best-fit part, penalty for crossing


class Option(NamedTuple):
    """A node where the request fits; sorted, the best comes first."""

    avoided: bool
    cost: int
    node: str
    row: int
    fit: Fit

    @property
    def total(self) -> int:
        return -self.cost


class Search:
    """Answers of one shape by state of node."""

    def __init__(self) -> None:
        self.known: dict[bytes, Fit | None] = {}
        self.verdicts: dict[bytes, tuple[dict[str, int], int]] = {}

    def best(self, planner: "Planner", request: Request, shape: "Shape") -> Found | None:
        """The best node, booked."""
        options = self.options(planner, request, shape)
        return _taken(planner, options, options[0]) if options else None

    def book(self, planner: "Planner", request: Request, shape: "Shape", row: int) -> Found:
        """One of the nodes where it fits, booked."""
        options = self.options(planner, request, shape)
        return _taken(planner, options, next(option for option in options if option.row == row))

    def options(self, planner: "Planner", request: Request, shape: "Shape") -> list[Option]:
        """Every node where it fits, best first."""
        options: list[Option] = []
        for row, node in enumerate(planner.grid.nodes):
            position = planner.class_of(row)
            cost, points = shape.hourly[position], shape.adjust[position]
            if cost is None or points == NEVER:
                continue
            if request.cap_nano is not None and (price(request, cost, planner.scene) or 0) > request.cap_nano:
                continue
            found = self._on(planner, request, row)
            if found is not None:
                avoided = node.name in request.avoid_nodes
                options.append(Option(avoided, -found[1][0] - points, node.name, row, found))
        return sorted(options, key=lambda option: option[:3])

    def survey(self, planner: "Planner", request: Request) -> Survey:
        """As Board.survey, judged node by node."""
        nodes, totals = planner.grid.nodes, Counter[str]()
        lacks = []
        for row, node in enumerate(nodes):
            counts, lack = self._judged(planner, request, row)
            totals.update(counts)
            lacks.append((lack, node.name, row))
        lacks.sort()
        near = lacks[:RANKED]
        return Survey([row for _, _, row in near], [lack for lack, _, _ in near], [totals[rule] for rule in RULES], [])

    def _judged(self, planner: "Planner", request: Request, row: int) -> tuple[dict[str, int], int]:
        key = planner.board.state_key(row)
        if key not in self.verdicts:
            verdict = judge(request, planner.grid.nodes[row], planner.node_state([row]))
            self.verdicts[key] = counts_of([verdict]), round(verdict.lack * WHOLE)
        return self.verdicts[key]

    def _on(self, planner: "Planner", request: Request, row: int) -> Fit | None:
        key = planner.board.state_key(row)
        if key not in self.known:
            self.known[key] = _searched(planner, request, row)
        return self.known[key]


def _taken(planner: "Planner", options: Sequence[Option], chosen: Option) -> Found:
    slots, (score, fit_part, crossing) = chosen.fit
    planner.board.move(chosen.row, slots, -1)
    first = [chosen, *(option for option in options if option is not chosen)][:RANKED]
    ranked = [option.row for option in first], [option.total for option in first]
    return Found(chosen.row, slots, score, fit_part, crossing, 0, len(options), ranked)


def _searched(planner: "Planner", request: Request, row: int) -> Fit | None:
    """The nearest group that fits, the one with fewest GPUs left among equals, and what taking it does to the worth."""
    node, state = planner.grid.nodes[row], planner.node_state([row])
    best: Fit | None = None
    snuggest = 0
    for group in groups(node, request):
        if best is not None and group.penalty > best[1][2]:
            break
        picks = fit(request, group, state)
        if picks is None:
            continue
        slots = planner.board.improvise(planner.class_of(row), _placed(node, picks))
        score, cost = planner.board.try_out(row, slots)
        room = _room(request, group, state)
        if best is None or (score - group.penalty, -room) > (best[1][0], -snuggest):
            best, snuggest = (slots, (score - group.penalty, cost, group.penalty)), room
    return best


def _room(request: Request, group: Group, state: Occupancy) -> int:
    """How many GPUs of the group would do."""
    gpus = [(need, group.members(index)) for index, need in enumerate(request.needs) if need.type == GPU]
    return sum(passes(need, d, state, group.ways.get(d.uuid, ())) for need, all_ in gpus for d in all_ if d.type == GPU)


def _placed(node: Node, picks: Sequence[Pick]) -> list[tuple[int, Pick]]:
    places = {device.uuid: position for position, device in enumerate(node.devices)}
    return [(places[pick.device], pick) for pick in picks]
