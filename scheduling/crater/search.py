"""Where does a request fit that asks for several devices of one type in different ways?

Choosing device by device could miss a fit, so each node is searched (fit.py), once for each
state that nodes are in: equal nodes share the answer. Worth, best fit and scarcity are the
same figures as for all other requests.
"""

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING

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


class Search:
    """Answers of one shape by state of node."""

    def __init__(self) -> None:
        self.known: dict[bytes, Fit | None] = {}
        self.verdicts: dict[bytes, tuple[dict[str, int], int]] = {}

    def best(self, planner: "Planner", request: Request, shape: "Shape") -> Found | None:
        """The best node, booked."""
        options: list[tuple[bool, int, str, int, Fit]] = []
        for row, node in enumerate(planner.grid.nodes):
            position = planner.class_of(row)
            cost, points = shape.hourly[position], shape.adjust[position]
            if cost is None or points == NEVER:
                continue
            if request.cap_nano is not None and (price(request, cost, planner.scene) or 0) > request.cap_nano:
                continue
            found = self._on(planner, request, row)
            if found is not None:
                options.append((node.name in request.avoid_nodes, -found[1][0] - points, node.name, row, found))
        if not options:
            return None
        options.sort(key=lambda option: option[:3])
        _, _, _, row, (slots, (score, fit_part, crossing)) = options[0]
        planner.board.move(row, slots, -1)
        ranked = [option[3] for option in options[:RANKED]], [-option[1] for option in options[:RANKED]]
        return Found(row, slots, score, fit_part, crossing, 0, len(options), ranked)

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
