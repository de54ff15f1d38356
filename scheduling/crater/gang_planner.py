"""Place the members of a gang with the planner that places everybody else: same feasibility, same scores, same ties.

All are booked or nothing is. Under a cap the best-scored places are tried first, then the cheapest ones.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from scheduling.crater.found import Found
from scheduling.crater.gang import GangAnswer, Offer, Offers, joined, members_of, place_gang
from scheduling.crater.kernels import Ints
from scheduling.crater.model import Placement, Request
from scheduling.crater.scores import chance, price

if TYPE_CHECKING:
    from scheduling.crater.planner import Planner

#: A node that is to be avoided costs more than any score: it is taken when nothing else is left.
AVOIDED = 1 << 40


def place_members(planner: "Planner", request: Request) -> Placement | None:
    """Places for all members, booked; None, with nothing booked, when there are none or they cost too much."""
    members = members_of(request)
    for by_price in (False, True) if request.cap_nano is not None else (False,):
        answer = place_gang(members, offers_now(planner, request, len(members), by_price=by_price))
        if not answer.fits:
            return None
        placement = _booked(planner, request, members, answer)
        if request.cap_nano is None or (placement.predicted_nano or 0) <= request.cap_nano:
            return placement
        planner.give_back(request.job)
    return None


def offers_now(planner: "Planner", request: Request, most: int, *, by_price: bool = False) -> Offers:
    """Where members fit as the cluster is now: of simulated and of real machines the `most` best each."""
    avoided = [planner.grid.positions[name] for name in request.avoid_nodes if name in planner.grid.positions]
    simulated = np.array([node.simulated for node in planner.grid.nodes], dtype=bool)

    def offers(member: Request) -> Sequence[Offer]:
        if not planner.grid.nodes:
            return ()
        rows, costs = _costs(planner, member, by_price=by_price)
        costs = costs + np.where(np.isin(rows, avoided), AVOIDED, 0)
        found: list[Offer] = []
        for kind in (False, True):
            own = np.flatnonzero(simulated[rows] == kind)
            best = own[np.lexsort((planner.board.arrays.rank[rows[own]], costs[own]))[:most]].tolist()
            found += [Offer(planner.grid.nodes[rows[i]].name, int(costs[i]), kind) for i in best]
        return found

    return offers


def _costs(planner: "Planner", member: Request, *, by_price: bool) -> tuple[Ints, Ints]:
    """Rows where the member fits, and what each costs: micro-GPU, or money."""
    shape = planner.shape(member)
    if shape.search is not None:
        options = shape.search.options(planner, member, shape)
        rows = np.array([option.row for option in options], dtype=np.int64)
        costs = np.array([-option.total for option in options], dtype=np.int64)
    else:
        rows, totals = planner.board.candidates(shape.number)
        costs = -totals
    if not by_price:
        return rows, costs
    prices = [price(member, hourly, planner.scene) or 0 if hourly is not None else 0 for hourly in shape.hourly]
    return rows, np.array([prices[planner.class_of(row)] for row in rows.tolist()], dtype=np.int64)


def _booked(planner: "Planner", request: Request, members: Sequence[Request], answer: GangAnswer) -> Placement:
    parts = []
    fitting = [len(_costs(planner, member, by_price=False)[0]) for member in members]  # before any of them is booked
    for member, node, count in zip(members, answer.nodes, fitting, strict=True):
        shape, row = planner.shape(member), planner.grid.positions[node]
        found = shape.search.book(planner, member, shape, row) if shape.search else _book(planner, shape.number, row)
        parts.append(planner.booked(member, shape, found._replace(fitting=count)))
    planner.gangs[request.job] = tuple(member.job for member in members)
    return joined(request, parts, chance(request, planner.scene.snapshot.now_ms))


def _book(planner: "Planner", shape: int, row: int) -> Found:
    """The node was an offer; what other members took is elsewhere."""
    planner.board.choose(shape)
    found = planner.board.book(shape, row)
    assert found is not None
    return found
