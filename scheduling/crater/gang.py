"""Where do the members of a gang go, each on a node of its own, all of them or none?

A member is one component of a request that is `is_apart`; it is asked for like a job of its own. As no two members
share a node, what one takes never changes what another finds: the question is an assignment of members to nodes,
answered exactly (assignment.py), at the least total cost. Simulated machines and real ones are never mixed in one gang.

A refusal names the worst member: of those who compete for too few nodes, the one with the fewest.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from scheduling.crater.assignment import assign
from scheduling.crater.model import Near, Need, Placement, Ranking, Request, Term, member_key


class Offer(NamedTuple):
    """A node where a member fits, and what that costs (lower is better; millionths of a GPU, or money)."""

    node: str
    cost: int
    simulated: bool = False


Offers = Callable[[Request], Sequence[Offer]]


@dataclass(frozen=True, slots=True)
class GangAnswer:
    """A node for each member; or the worst member, and how many compete for how few nodes."""

    nodes: tuple[str, ...] = ()
    worst: int = -1
    choices: int = 0  # how many nodes would do for the worst member
    rivals: int = 0
    room: int = 0

    @property
    def fits(self) -> bool:
        return self.worst < 0


def is_gang(request: Request) -> bool:
    """Whether it has several members; a single component on a node of its own is an ordinary job."""
    return request.is_apart and len({need.component for need in request.needs}) > 1


def names_of(request: Request) -> tuple[str, ...]:
    """The components in the order in which they were asked for: the members' names."""
    return tuple(dict.fromkeys(need.component for need in request.needs))


def members_of(request: Request) -> tuple[Request, ...]:
    """What each member asks for; members that ask for the same share their needs."""
    near = {wish.component: wish for wish in request.near}
    known: dict[str, tuple[Need, ...]] = {}
    found = []
    for number, name in enumerate(names_of(request)):
        needs = tuple(replace(need, component="") for need in request.needs if need.component == name)
        wish = near.get(name, Near(name, request.same, request.allow_cross_numa))
        member = replace(request, job=member_key(request.job, number), needs=known.setdefault(repr(needs), needs))
        found.append(
            replace(
                member, same=wish.same, allow_cross_numa=wish.allow_cross_numa, cap_nano=None, near=(), is_apart=False
            )
        )
    return tuple(found)


def is_whole(placement: Placement, request: Request) -> bool:
    """Whether the placement has a place for each member of the request, in their order, and none for anybody else."""
    if not is_gang(request):
        return not placement.members
    told = [(part.component, part.member, part.job) for part in placement.members]
    return told == [(name, number, request.job) for number, name in enumerate(names_of(request))]


def members_in(placement: Placement) -> tuple[int | None, ...]:
    """The numbers of a placement's parts; None where it is no gang's."""
    return tuple(range(len(placement.members))) or (None,)


def shape_of(member: Request) -> object:
    """Equal for members of one gang that ask for the same."""
    return id(member.needs), member.same, member.allow_cross_numa


def place_gang(members: Sequence[Request], offers: Offers) -> GangAnswer:
    """The one door: a node for every member, or who stands in the way."""
    by_shape: dict[object, Sequence[Offer]] = {}
    for member in members:
        if shape_of(member) not in by_shape:
            by_shape[shape_of(member)] = offers(member)
    offered = [by_shape[shape_of(member)] for member in members]
    kinds = sorted({offer.simulated for own in offered for offer in own}) or [False]
    answers = [_assigned([[offer for offer in own if offer.simulated == kind] for own in offered]) for kind in kinds]
    best = min(answers, key=lambda answer: (not answer.fits, answer.rivals - answer.room))
    return replace(best, nodes=_in_order(members, best.nodes)) if best.fits else best


def _assigned(offered: Sequence[Sequence[Offer]]) -> GangAnswer:
    """A member needs no more than its best offers, one for each member: others then leave it at least one."""
    most = len(offered)
    kept = [sorted(own, key=lambda offer: (offer.cost, offer.node))[:most] for own in offered]
    columns = sorted({offer.node for own in kept for offer in own})
    places = {node: column for column, node in enumerate(columns)}
    chosen, rivals = assign([{places[offer.node]: offer.cost for offer in own} for own in kept])
    if not rivals:
        return GangAnswer(tuple(columns[column] for column in chosen))
    room = {offer.node for row in rivals for offer in kept[row]}
    rivals = [row for row, own in enumerate(kept) if room.issuperset(offer.node for offer in own)]
    worst = min(rivals, key=lambda row: (len(offered[row]), row))
    return GangAnswer(worst=worst, choices=len(offered[worst]), rivals=len(rivals), room=len(room))


def _in_order(members: Sequence[Request], nodes: Sequence[str]) -> tuple[str, ...]:
    """Members that ask for the same take their nodes by name, the first member the first node."""
    by_shape: dict[object, list[str]] = {}
    for member, node in zip(members, nodes, strict=True):
        by_shape.setdefault(shape_of(member), []).append(node)
    left = {shape: iter(sorted(own)) for shape, own in by_shape.items()}
    return tuple(next(left[shape_of(member)]) for member in members)


def joined(request: Request, parts: Iterable[Placement], promised: float | None) -> Placement:
    """The members' placements as that of the job: all picks, the whole price, the mean of their scores."""
    names = names_of(request)
    members = tuple(
        replace(part, job=request.job, member=number, component=names[number]) for number, part in enumerate(parts)
    )
    prices = [part.predicted_nano for part in members if part.predicted_nano is not None]
    runtime = request.runtime
    return Placement(
        job=request.job,
        node=members[0].node,
        picks=tuple(pick for part in members for pick in part.picks),
        score=_mean([part.score for part in members]),
        predicted_ms=runtime.p50_ms if runtime else None,
        predicted_p90_ms=runtime.p90_ms if runtime else None,
        predicted_nano=sum(prices) if len(prices) == len(members) else None,
        on_time=promised,
        candidates=min(part.candidates for part in members),
        best=Ranking(),
        members=members,
    )


def _mean(scores: Sequence[tuple[Term, ...]]) -> tuple[Term, ...]:
    values: Mapping[tuple[str, float], list[float]] = {(t.name, t.weight): [] for score in scores for t in score}
    for score in scores:
        for term in score:
            values[term.name, term.weight].append(term.value)
    return tuple(Term(name, sum(own) / len(own), weight) for (name, weight), own in values.items())
