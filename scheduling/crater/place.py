"""Would this request fit, given what is left? Looks node by node; no scores.

The proof behind every relaxation and every "never": the same rules as the planner's (fit.py,
topology.py), on a state that need not be the planner's own.
"""

from fractions import Fraction

from scheduling.crater.fit import fit
from scheduling.crater.model import Node, Pick, Placement, Request
from scheduling.crater.occupancy import Occupancy
from scheduling.crater.scene import Scene
from scheduling.crater.scores import per_hour, price
from scheduling.crater.topology import groups


def place(request: Request, state: Occupancy, scene: Scene) -> Placement | None:
    """The cheapest place where the request fits, None when there is none; `state` is not changed."""
    best: Placement | None = None
    for node in scene.snapshot.nodes:
        found = place_on(request, node, state, scene)
        if found is not None and found.predicted_nano is None:
            return found
        if found is not None and (best is None or _cheaper(found, best)):
            best = found
    return best


def place_on(request: Request, node: Node, state: Occupancy, scene: Scene) -> Placement | None:
    """The cheapest place on this node."""
    best: Placement | None = None
    for group in groups(node, request) if node.usable else ():
        picks = fit(request, group, state)
        if picks is None:
            continue
        nano = _nano(request, picks, scene)
        if request.cap_nano is not None and nano is not None and nano > request.cap_nano:
            continue
        found = _placed(request, node.name, picks, nano)
        if nano is None:
            return found
        if best is None or _cheaper(found, best):
            best = found
    return best


def _cheaper(one: Placement, other: Placement) -> bool:
    return other.predicted_nano is None or (one.predicted_nano or 0) < other.predicted_nano


def _nano(request: Request, picks: tuple[Pick, ...], scene: Scene) -> int | None:
    hourly = per_hour(picks, scene) if scene.rates else Fraction(0)
    return price(request, hourly, scene)


def _placed(request: Request, node: str, picks: tuple[Pick, ...], nano: int | None) -> Placement:
    return Placement(request.job, node, picks, (), None, None, nano, None)
