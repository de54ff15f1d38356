"""Decide where waiting jobs run.

`plan` is a pure function: one Snapshot in, one Plan out. It reads no clock, no database and
no settings, so a recorded snapshot replays to the same plan, whatever the order of its input.

Order of decisions: order.py, then feasibility in every aligned group (topology.py, fit.py),
score (scores.py), then node name as the tie-break. A refusal is explained by explain.py.
Decided elsewhere: how the plan is committed (services/placement.py), how to launch (executors/).
"""

from dataclasses import replace

from scheduling.crater.explain import refusal
from scheduling.crater.fit import fit
from scheduling.crater.model import Node, Placement, Plan, Refusal, Request, Snapshot
from scheduling.crater.occupancy import Occupancy
from scheduling.crater.order import ordered
from scheduling.crater.scene import Scene
from scheduling.crater.scores import Candidate, chance, price, terms, total
from scheduling.crater.topology import groups


def plan(snapshot: Snapshot) -> Plan:
    """Every queued request is placed or refused with reasons; later ones see earlier picks."""
    scene, state = Scene(snapshot), Occupancy.of(snapshot.nodes)
    placements, refusals = [], []
    known: dict[object, tuple[int, Refusal]] = {}
    for request in ordered(snapshot.queue, snapshot.now_ms):
        placement = place(request, state, scene)
        if placement is None:
            refusals.append(_refuse(request, state, scene, known))
            continue
        for pick in placement.picks:
            state.take(pick)
        placements.append(placement)
    return Plan(tuple(placements), tuple(refusals))


def place(request: Request, state: Occupancy, scene: Scene) -> Placement | None:
    """The best place for one request, or None; `state` is not changed."""
    found = candidates(request, state, scene)
    if request.cap_nano is not None:
        found = [c for c in found if c.nano is None or c.nano <= request.cap_nano]
    fresh = [c for c in found if c.node.name not in request.avoid_nodes]
    found = fresh or found
    if not found:
        return None
    cheapest = min((c.nano for c in found if c.nano is not None), default=None)
    scored = [(terms(request, c, state, scene, cheapest), c) for c in found]
    score, best = min(scored, key=lambda pair: (-total(pair[0]), pair[1].node.name))
    runtime = request.runtime
    return Placement(
        job=request.job,
        node=best.node.name,
        picks=best.picks,
        score=score,
        predicted_ms=runtime.p50_ms if runtime else None,
        predicted_p90_ms=runtime.p90_ms if runtime else None,
        predicted_nano=best.nano,
        on_time=chance(request, scene.snapshot.now_ms),
        candidates=len(found),
    )


def candidates(request: Request, state: Occupancy, scene: Scene) -> list[Candidate]:
    """One candidate for each usable node where the request fits: its nearest, tightest group."""
    found = []
    for node in scene.snapshot.nodes:
        candidate = _candidate(request, node, state, scene) if node.usable else None
        if candidate is not None:
            found.append(candidate)
    return found


def _candidate(request: Request, node: Node, state: Occupancy, scene: Scene) -> Candidate | None:
    best: tuple[float, Candidate] | None = None
    for group in groups(node, request):
        if not group.aligned and best is not None:
            break
        picks = fit(request, group.devices, state)
        if picks is None:
            continue
        candidate = Candidate(node, picks, group.aligned, price(request, picks, scene))
        worth = total(terms(request, candidate, state, scene, None))
        if best is None or worth > best[0]:
            best = worth, candidate
    return best[1] if best else None


def _refuse(request: Request, state: Occupancy, scene: Scene, known: dict[object, tuple[int, Refusal]]) -> Refusal:
    """Explain once for equal requests while nothing has been placed in between."""
    shape = repr(replace(request, job="", submitted_ms=0, team="", priority=0))
    version, answer = known.get(shape, (-1, None))
    if answer is None or version != state.version:
        answer = refusal(request, state, scene, place)
        known[shape] = state.version, answer
    return replace(answer, job=request.job)
