"""Where does a request fit that asks for several devices of one type in different ways?

Choosing device by device could miss a fit, so each node is searched (fit.py), once for each
state that nodes are in: equal nodes share the answer. Worth, best fit and scarcity are the
same figures as for all other requests.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from scheduling.crater.board import Figures, Slots
from scheduling.crater.filters import passes
from scheduling.crater.fit import fit
from scheduling.crater.fleet import GPU
from scheduling.crater.kernels import NEVER
from scheduling.crater.model import Node, Pick, Request
from scheduling.crater.occupancy import Occupancy
from scheduling.crater.scores import price
from scheduling.crater.topology import Group, groups

if TYPE_CHECKING:
    from scheduling.crater.planner import Planner
    from scheduling.crater.shape import Shape

Found = tuple[Slots, Figures]


class Search:
    """Answers of one shape by state of node."""

    def __init__(self) -> None:
        self.known: dict[bytes, Found | None] = {}

    def best(self, planner: "Planner", request: Request, shape: "Shape") -> tuple[int, Slots, Figures] | None:
        """The best node, booked: its row, slots and parts of the score."""
        options: list[tuple[bool, int, str, int, Found]] = []
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
        _, _, _, row, (slots, parts) = min(options, key=lambda option: option[:3])
        planner.board.move(row, slots, -1)
        return row, slots, parts

    def _on(self, planner: "Planner", request: Request, row: int) -> Found | None:
        key = planner.board.state_key(row)
        if key not in self.known:
            self.known[key] = _searched(planner, request, row)
        return self.known[key]


def _searched(planner: "Planner", request: Request, row: int) -> Found | None:
    """The nearest group that fits, the one with fewest GPUs left among equals, and what taking it does to the worth."""
    node, state = planner.grid.nodes[row], planner.node_state([row])
    best: Found | None = None
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
