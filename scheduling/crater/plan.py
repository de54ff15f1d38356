"""Decide where waiting jobs run.

`plan` is a pure function: one Snapshot in, one Plan out. It reads no clock, no database and
no settings, so a recorded snapshot replays to the same plan, whatever the order of its input.

Order of decisions: order.py, then the best place by value, best fit, scarcity, locality and
money (planner.py), then node name as the tie-break. What could not be placed is explained
against what is left when all others have been (explain.py): the answer to "why not now?".
Decided elsewhere: how the plan is committed (services/placement.py), how to launch (executors/).
"""

from collections.abc import Iterable, Iterator
from dataclasses import replace

from scheduling.crater.askable import sifted
from scheduling.crater.explain import Planner as Proof
from scheduling.crater.explain import refusal
from scheduling.crater.gang import is_gang
from scheduling.crater.gang_why import relaxing, why_no_gang
from scheduling.crater.model import Placement, Plan, Refusal, Request, Snapshot
from scheduling.crater.occupancy import Occupancy
from scheduling.crater.order import ordered
from scheduling.crater.place import place
from scheduling.crater.planner import Planner
from scheduling.crater.scene import Scene

EXACT_NODES, NEAREST_NODES = 64, 16
#: Different requests whose full account is worked out in one plan; later ones get the quick reason (whynot.py).
ACCOUNTS = 256


def plan(snapshot: Snapshot) -> Plan:
    """Every queued request is placed or refused with reasons; later ones see earlier picks.

    Nothing is given back meanwhile, so what was refused once is not tried again: the work grows
    with the queue, and with the cluster only by what is placed and by how many requests differ.
    """
    fine, unsound = sifted(snapshot.queue)
    planner = Planner(replace(snapshot, queue=tuple(fine)))
    placements: list[Placement] = []
    waiting: list[Request] = []
    refused: set[object] = set()
    for request in ordered(fine, snapshot.now_ms):
        kind = planner.kind(request)
        placement = None if kind in refused else planner.place(request)
        if placement is None:
            refused.add(kind)
            waiting.append(request)
        else:
            placements.append(placement)
    return Plan(tuple(placements), (*unsound, *explained(waiting, planner)))


def explained(waiting: Iterable[Request], planner: Planner) -> Iterator[Refusal]:
    """Why each was not placed, against what is left now; one answer for equal requests."""
    known: dict[object, Refusal] = {}
    for request in waiting:
        kind = planner.kind(request)
        if kind not in known:
            known[kind] = _account(request, planner) if len(known) < ACCOUNTS else planner.why_not(request)
        yield replace(known[kind], job=request.job)


def _account(request: Request, planner: Planner) -> Refusal:
    """The whole account; of a gang that of its worst member, with changes that let all its members fit."""
    if not is_gang(request):
        return _of_one(request, planner, place)
    return why_no_gang(planner, request, lambda member: _of_one(member, planner, relaxing(request, member)))


def _of_one(request: Request, planner: Planner, proof: Proof) -> Refusal:
    """Every device of a small cluster; of a large one the nearest nodes, and counts for all."""
    snapshot, quick = planner.scene.snapshot, planner.why_not(request)
    if len(snapshot.nodes) <= EXACT_NODES:
        return replace(refusal(request, planner.occupancy(), planner.scene, proof), closest=quick.closest)
    names = quick.closest.nodes or [node.name for node in planner.grid.nodes]
    rows = [planner.grid.positions[name] for name in names[:NEAREST_NODES]]
    scene = Scene(replace(snapshot, nodes=tuple(planner.grid.nodes[row] for row in rows)))
    account = refusal(request, planner.node_state(rows), scene, proof)
    possible = quick.possible or _once_repaired(request, planner)
    return replace(account, possible=possible, counts=quick.counts, closest=quick.closest)


def _once_repaired(request: Request, planner: Planner) -> bool:
    """Whether the request would fit if nothing ran and all were in order."""
    empty = planner.scene.emptied
    return place(request, Occupancy.of(empty.snapshot.nodes), empty) is not None
