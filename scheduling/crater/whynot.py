"""What stands in the way of a request, said at the speed of the decision itself.

The nearest nodes and the devices that each rule turns down are kept up to date with the scores
(near.py), and what the nearest node's devices lack is read from the arrays (missing.py). The
counts are those of the full account with relaxations, which is explain.py.
"""

from typing import TYPE_CHECKING

from scheduling.crater.explain import SHOWN, judge
from scheduling.crater.missing import missing
from scheduling.crater.model import Refusal, Request, Shortfall
from scheduling.crater.near import CAP, RULES
from scheduling.crater.scores import price
from scheduling.crater.shape import Shape

if TYPE_CHECKING:
    from scheduling.crater.planner import Planner

MOST_TOLD = 64


def why_not(planner: "Planner", request: Request, shape: Shape) -> Refusal:
    """The refusal of a request that was just found to fit nowhere."""
    survey = shape.search.survey(planner, request) if shape.search is not None else planner.board.survey(shape.number)
    counts = {rule: devices for rule, devices in zip(RULES, survey.totals, strict=True) if devices}
    if planner.broken:
        counts["unusable"] = counts.get("unusable", 0) + planner.broken
    row = survey.rows[0] if survey.rows else 0
    dear = _too_dear(planner, request, shape, planner.grid.nodes[row].name) if survey.totals[CAP] else ()
    if survey.totals[CAP] and not dear:  # each need fits, but not all of them together
        counts["free"] = counts.get("free", 0) + counts.pop("cap")
    shortfalls = dear or missing(planner.board, shape, survey) or _told(planner, request, shape, row)
    return Refusal(
        job=request.job,
        possible=shape.possible,
        counts=counts,
        nearest=shortfalls[0] if shortfalls else None,
        shortfalls=shortfalls,
        closest=planner.ranking(survey.rows, survey.lacks),
    )


def nowhere(planner: "Planner", request: Request) -> Refusal:
    """No usable node at all."""
    nothing = Shortfall("no_device", "", None, request.needs[0].type if request.needs else "", None, 1, 0, 1)
    counts = {"unusable": planner.broken} if planner.broken else {"no_device": 1}
    return Refusal(request.job, False, counts, nothing, (nothing,))


def _told(planner: "Planner", request: Request, shape: Shape, row: int) -> tuple[Shortfall, ...]:
    """The rules of one machine, for what no machine could ever do and for what is searched device by device."""
    state = row, planner.board.state_key(row)
    if state not in shape.told:
        if len(shape.told) >= MOST_TOLD:
            shape.told.clear()
        node = planner.grid.nodes[row]
        shape.told[state] = tuple(judge(request, node, planner.node_state([row])).shortfalls()[:SHOWN])
    return shape.told[state]


def _too_dear(planner: "Planner", request: Request, shape: Shape, node: str) -> tuple[Shortfall, ...]:
    """Everything fits but the price: the cheapest kind of node against the cap; () when that is within the cap."""
    if request.cap_nano is None:
        return ()
    costs = (price(request, hourly, planner.scene) or 0 for hourly in shape.hourly if hourly is not None)
    need, have = min(costs, default=0), request.cap_nano
    return (Shortfall("cap", node, None, "", "cost", need, have, need - have, "nano"),) if need > have else ()
