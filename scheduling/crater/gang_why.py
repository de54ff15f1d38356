"""Why can a gang not start, and what is the least that would change it?

Told of its worst member (gang.py): where that one fits nowhere by itself, its own account; where each would fit but
there are too few machines for all, the rule `nodes`, with `need` members that compete for `have` machines. A relaxation
is for every member that asks for the same as the worst, and proved by planning the whole gang again.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from scheduling.crater.gang import GangAnswer, Offer, members_of, names_of, place_gang
from scheduling.crater.gang_places import place_each
from scheduling.crater.gang_planner import offers_now
from scheduling.crater.model import Node, Placement, Refusal, Relaxation, Request, Shortfall
from scheduling.crater.occupancy import Occupancy
from scheduling.crater.place import place_on
from scheduling.crater.scene import Scene

if TYPE_CHECKING:
    from scheduling.crater.planner import Planner

Account = Callable[[Request], Refusal]
NODES, CAP = "nodes", "cap"
#: In larger clusters a machine that is in order is judged by its kind alone.
EXACT_NODES = 64


def why_no_gang(planner: "Planner", request: Request, account: Account) -> Refusal:
    """The refusal of a gang that was just found to fit nowhere; `account` explains one member."""
    members, ever = members_of(request), _ever(planner, request)
    answer = ever if not ever.fits else place_gang(members, offers_now(planner, request, len(members)))
    if answer.fits:
        return _too_dear(planner, request, members, answer)
    told = _too_few(planner, request, answer) if answer.choices else account(members[answer.worst])
    return replace(told, job=request.job, possible=ever.fits, member=names_of(request)[answer.worst])


def relaxing(request: Request, worst: Request) -> Callable[[Request, Occupancy, Scene], Placement | None]:
    """A planner for explain.py: does the gang fit if all members like the worst one ask as little as this?"""
    members = members_of(request)
    like_it = [_alike(member, worst) for member in members]

    def planner(relaxed: Request, state: Occupancy, scene: Scene) -> Placement | None:
        tried = [
            replace(relaxed, job=member.job) if same else member for member, same in zip(members, like_it, strict=True)
        ]
        return place_each(request, _sharing(tried), state, scene)

    return planner


def _alike(one: Request, other: Request) -> bool:
    return (one.needs, one.same, one.allow_cross_numa) == (other.needs, other.same, other.allow_cross_numa)


def _sharing(members: list[Request]) -> list[Request]:
    """Equal needs as one object again, so that they are looked for once."""
    known: dict[str, Request] = {}
    return [replace(m, needs=known.setdefault(repr(m.needs), m).needs) for m in members]


def _too_few(planner: "Planner", request: Request, answer: GangAnswer) -> Refusal:
    """Each member would fit somewhere, but not each on a machine of its own."""
    need, have = answer.rivals, answer.room
    kind = members_of(request)[answer.worst].needs[0].type
    reason = Shortfall(NODES, "", None, kind, NODES, need, have, need - have, NODES)
    counts = {NODES: len(planner.grid.nodes) - have} if len(planner.grid.nodes) > have else {NODES: 1}
    return Refusal(request.job, True, counts, reason, (reason,))


def _too_dear(planner: "Planner", request: Request, members: tuple[Request, ...], answer: GangAnswer) -> Refusal:
    """All fit, but together they cost more than the cap."""
    uncapped = replace(request, cap_nano=None)
    placement = planner.place(uncapped)
    if placement is not None:
        planner.give_back(request.job)
    need, have = (placement.predicted_nano if placement else None) or 0, request.cap_nano or 0
    reason = Shortfall(CAP, answer.nodes[0], None, "", "cost", need, have, max(0, need - have), "nano")
    change = Relaxation("cost", "", need, have, "nano", CAP)
    return Refusal(request.job, True, {CAP: len(members)}, reason, (reason,), (change,))


def _ever(planner: "Planner", request: Request) -> GangAnswer:
    """What would be if nothing ran and all machines were in order."""
    nodes = planner.scene.snapshot.nodes
    empty = planner.scene.emptied
    repaired = {node.name: node for node in empty.snapshot.nodes}
    state = Occupancy.of(empty.snapshot.nodes)

    def offers(member: Request) -> list[Offer]:
        return [Offer(node.name, 0, node.simulated) for node in nodes if would(member, node)]

    def would(member: Request, node: Node) -> bool:
        row = planner.grid.positions.get(node.name)
        if row is not None and planner.shape(member).hourly[planner.class_of(row)] is not None:
            return True
        if row is not None and len(nodes) > EXACT_NODES:
            return False
        return place_on(member, repaired[node.name], state, empty) is not None

    return place_gang(members_of(request), offers)
