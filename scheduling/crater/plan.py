"""Decide where waiting jobs run.

`plan` is a pure function: one Snapshot in, one Plan out. It reads no clock, no database and
no settings, so a recorded snapshot replays to the same plan, whatever the order of its input.

Order of decisions: order.py, then the best place by value, best fit, scarcity, locality and
money (planner.py), then node name as the tie-break. What could not be placed is explained
against what is left when all others have been (explain.py): the answer to "why not now?".
Decided elsewhere: how the plan is committed (services/placement.py), how to launch (executors/).
"""

from dataclasses import replace

from scheduling.crater.explain import refusal
from scheduling.crater.model import Placement, Plan, Refusal, Request, Snapshot
from scheduling.crater.occupancy import Occupancy
from scheduling.crater.order import ordered
from scheduling.crater.place import place
from scheduling.crater.planner import Planner


def plan(snapshot: Snapshot) -> Plan:
    """Every queued request is placed or refused with reasons; later ones see earlier picks."""
    planner = Planner(snapshot)
    placements: list[Placement] = []
    waiting: list[Request] = []
    for request in ordered(snapshot.queue, snapshot.now_ms):
        placement = planner.place(request)
        if placement is None:
            waiting.append(request)
        else:
            placements.append(placement)
    return Plan(tuple(placements), tuple(_explained(waiting, planner)))


def _explained(waiting: list[Request], planner: Planner) -> list[Refusal]:
    """One answer for equal requests."""
    if not waiting:
        return []
    known: dict[str, Refusal] = {}
    state: Occupancy = planner.occupancy()
    answers = []
    for request in waiting:
        shape = repr(replace(request, job="", submitted_ms=0, team="", priority=0))
        if shape not in known:
            known[shape] = refusal(request, state, planner.scene, place)
        answers.append(replace(known[shape], job=request.job))
    return answers
