"""What stands in the way of a request, said at the speed of the decision itself.

The nearest node is kept up to date with the scores (near.py), and what its devices lack is read
from the arrays (missing.py). `counts` says how many nodes each rule keeps out:
nodes whose devices could never do by their first rule, all others by "free". The full account
with relaxations is explain.py.
"""

from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING

from scheduling.crater.explain import SHOWN, judge
from scheduling.crater.missing import missing
from scheduling.crater.model import Refusal, Request, Shortfall
from scheduling.crater.occupancy import Occupancy
from scheduling.crater.scores import price
from scheduling.crater.shape import Shape

if TYPE_CHECKING:
    from scheduling.crater.planner import Planner


def why_not(planner: "Planner", request: Request) -> Refusal:
    """The refusal of a request that was just found to fit nowhere."""
    if not planner.grid.nodes:
        nothing = Shortfall("no_device", "", None, request.needs[0].type if request.needs else "", None, 1, 0, 1)
        return Refusal(request.job, False, {"no_device": 1}, nothing, (nothing,))
    shape = planner.shape(request)
    possible, counts = any(cost is not None for cost in shape.hourly), dict(shape.kept_out)
    row = max(0, planner.board.nearest(shape.number)) if shape.number >= 0 else 0
    if request.cap_nano is not None and shape.number >= 0 and (fitting := planner.board.fitting(shape.number)):
        shortfalls: tuple[Shortfall, ...] = (_too_dear(planner, request, shape, planner.grid.nodes[row].name),)
        counts = counts | {"cap": fitting, "free": counts["free"] - fitting}
    else:
        shortfalls = _lacking(planner, request, shape, row)
    return Refusal(
        job=request.job,
        possible=possible,
        counts=counts,
        nearest=shortfalls[0] if shortfalls else None,
        shortfalls=shortfalls,
    )


def _lacking(planner: "Planner", request: Request, shape: Shape, row: int) -> tuple[Shortfall, ...]:
    """What the nearest devices of the node lack; for what no machine could ever do, the first machine's rules."""
    found = missing(planner.board, shape.number, row) if shape.number >= 0 else ()
    if found:
        return found
    if shape.number not in planner.never:
        node = planner.grid.nodes[row]
        planner.never[shape.number] = tuple(judge(request, node, planner.node_state([row])).shortfalls()[:SHOWN])
    return planner.never[shape.number]


def _too_dear(planner: "Planner", request: Request, shape: Shape, node: str) -> Shortfall:
    """Everything fits but the price: the cheapest kind of node against the cap."""
    costs = (price(request, hourly, planner.scene) or 0 for hourly in shape.hourly if hourly is not None)
    need, have = min(costs, default=0), request.cap_nano or 0
    return Shortfall("cap", node, None, "", "cost", need, have, max(0, need - have), "nano")


def kept_out(planner: "Planner", request: Request, fits: list[bool]) -> tuple[tuple[str, int], ...]:
    """(rule, nodes) by class: the first rule that keeps an empty node out, "free" where none does."""
    counts: Counter[str] = Counter()
    if broken := len(planner.scene.snapshot.nodes) - len(planner.grid.nodes):
        counts["unusable"] = broken
    for group, fine in zip(planner.grid.classes, fits, strict=True):
        rule = "free"
        if not fine:
            empty = replace(group.sample, devices=tuple(replace(d, free=d.capacity) for d in group.sample.devices))
            found = judge(request, empty, Occupancy.of([empty])).shortfalls()
            rule = found[0].rule if found else "alignment"
        counts[rule] += len(group.names)
    return tuple(sorted(counts.items()))
