"""Would all members of a gang fit, given what is left? As place.py, for gangs; no scores, nothing booked.

`place_whole` is place.py's own question for whatever request: one place, or one for each member.
"""

from collections.abc import Sequence
from functools import partial

from scheduling.crater.gang import Offer, is_gang, joined, members_of, place_gang
from scheduling.crater.model import Node, Placement, Request
from scheduling.crater.occupancy import Occupancy
from scheduling.crater.place import place, place_on
from scheduling.crater.scene import Scene


def place_whole(request: Request, state: Occupancy, scene: Scene) -> Placement | None:
    """The cheapest place for the request, or for all its members."""
    if not is_gang(request):
        return place(request, state, scene)
    return place_each(request, members_of(request), state, scene)


def place_each(request: Request, members: Sequence[Request], state: Occupancy, scene: Scene) -> Placement | None:
    """Places for all members, each on a node of its own, under the gang's cap."""
    nodes = {node.name: node for node in scene.snapshot.nodes}
    answer = place_gang(members, partial(offers_on, nodes=tuple(nodes.values()), state=state, scene=scene))
    if not answer.fits:
        return None
    found = [place_on(member, nodes[name], state, scene) for member, name in zip(members, answer.nodes, strict=True)]
    whole = joined(request, [part for part in found if part is not None], None)
    if request.cap_nano is not None and (whole.predicted_nano or 0) > request.cap_nano:
        return None
    return whole


def offers_on(member: Request, *, nodes: Sequence[Node], state: Occupancy, scene: Scene) -> list[Offer]:
    """Those of the nodes where the member fits, with the price."""
    placed = ((node, place_on(member, node, state, scene)) for node in nodes)
    return [Offer(node.name, p.predicted_nano or 0, node.simulated) for node, p in placed if p is not None]
