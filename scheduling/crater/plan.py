"""Decide where waiting jobs run.

`plan` is a pure function: one Snapshot in, one Plan out. It reads no clock, no database and
no settings, so a recorded snapshot replays to the same plan, whatever the order of its input.

Order of decisions: order.py, then the best place by value, best fit, scarcity, locality and
money (planner.py), then node name as the tie-break. What could not be placed is explained
against what is left when all others have been (explain.py): the answer to "why not now?".
Decided elsewhere: how the plan is committed (services/placement.py), how to launch (executors/).
"""

from collections.abc import Iterable
from dataclasses import replace

from scheduling.crater.explain import refusal
from scheduling.crater.model import Placement, Plan, Refusal, Request, Snapshot
from scheduling.crater.order import ordered
from scheduling.crater.place import place
from scheduling.crater.planner import Planner
from scheduling.crater.scene import Scene
from scheduling.crater.sound import sifted
from scheduling.crater.whynot import why_not

EXACT_NODES, NEAREST_NODES = 64, 16


def plan(snapshot: Snapshot) -> Plan:
    """Every queued request is placed or refused with reasons; later ones see earlier picks."""
    fine, refused = sifted(snapshot.queue)
    planner = Planner(replace(snapshot, queue=tuple(fine)))
    placements: list[Placement] = []
    waiting: list[Request] = []
    for request in ordered(fine, snapshot.now_ms):
        placement = planner.place(request)
        if placement is None:
            waiting.append(request)
        else:
            placements.append(placement)
    return Plan(tuple(placements), (*refused, *explained(waiting, planner)))


def explained(waiting: Iterable[Request], planner: Planner) -> list[Refusal]:
    """Why each was not placed, against what is left now; one answer for equal requests."""
    known: dict[str, Refusal] = {}
    answers = []
    for request in waiting:
        shape = repr(replace(request, job="", submitted_ms=0, team="", priority=0))
        if shape not in known:
            known[shape] = _account(request, planner)
        answers.append(replace(known[shape], job=request.job))
    return answers


def _account(request: Request, planner: Planner) -> Refusal:
    """Every device of a small cluster; of a large one the nearest nodes, and counts for all."""
    snapshot = planner.scene.snapshot
    if len(snapshot.nodes) <= EXACT_NODES:
        return refusal(request, planner.occupancy(), planner.scene, place)
    quick, rows = why_not(planner, request), planner.nearest(request, NEAREST_NODES)
    scene = Scene(replace(snapshot, nodes=tuple(planner.grid.nodes[row] for row in rows)))
    account = refusal(request, planner.node_state(rows), scene, place)
    return replace(account, possible=quick.possible, counts=quick.counts)
