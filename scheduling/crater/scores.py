"""Which of the fitting places is best? Terms between 0 and 1, each with its figures.

best_fit   how little of the touched capabilities stays unused beside the job
scarcity   1 unless the node has types that the job does not need and few nodes offer
locality   1 when all picks share the asked subtree
money      the cheapest candidate's price over this one's (1 when nothing is priced)
slack      probability of meeting the deadline (1 without one)
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from alldata.kernel.intervals import HOUR_MS
from scheduling.crater.forecast import on_time
from scheduling.crater.model import Node, Pick, Policy, Request, Term
from scheduling.crater.occupancy import Occupancy
from scheduling.crater.scene import Scene
from scheduling.crater.vector import left_over

_BALANCED = {"best_fit": 0.35, "scarcity": 0.25, "locality": 0.20, "money": 0.10, "slack": 0.10}
WEIGHTS: Mapping[Policy, Mapping[str, float]] = {
    Policy.FIFO: _BALANCED,
    Policy.FAIR_SHARE: _BALANCED,
    Policy.DEADLINE_AWARE: {"best_fit": 0.25, "scarcity": 0.20, "locality": 0.20, "money": 0.05, "slack": 0.30},
    Policy.COST_MIN: {"best_fit": 0.15, "scarcity": 0.10, "locality": 0.10, "money": 0.60, "slack": 0.05},
}


@dataclass(frozen=True, slots=True)
class Candidate:
    """A place where the request fits."""

    node: Node
    picks: tuple[Pick, ...]
    aligned: bool
    nano: int | None


def price(request: Request, picks: Sequence[Pick], scene: Scene) -> int | None:
    """Predicted cost at the median duration, rounded once; None when nothing is priced or timed."""
    if request.runtime is None or not scene.rates:
        return None
    per_hour = Fraction(0)
    for pick in picks:
        for name, amount in pick.amounts.items():
            capacity = scene.devices[pick.device].capacity.get(name)
            rate = scene.rates.get((pick.device, name))
            if capacity and rate:
                per_hour += Fraction(rate * amount, capacity)
    return round(per_hour * request.runtime.p50_ms / HOUR_MS)


def chance(request: Request, now_ms: int) -> float | None:
    """Probability of meeting the deadline when started now; None when it cannot be said."""
    if request.deadline_ms is None or request.runtime is None:
        return None
    return on_time(request.runtime, request.deadline_ms - now_ms)


def terms(
    request: Request, candidate: Candidate, state: Occupancy, scene: Scene, cheapest: int | None
) -> tuple[Term, ...]:
    """The score of one candidate; `cheapest` is the lowest price among all."""
    weights = WEIGHTS[request.policy]
    unused = _unused(candidate, state, scene)
    rare, kind = _rarest_unneeded(request, candidate.node, scene)
    money = 1.0 if not candidate.nano or cheapest is None else cheapest / candidate.nano
    promised = chance(request, scene.snapshot.now_ms)
    return (
        Term("best_fit", 1 - unused, weights["best_fit"], {"unused_share": round(unused, 6)}),
        Term("scarcity", 1 - rare, weights["scarcity"], {"rare_type": kind}),
        Term("locality", float(candidate.aligned), weights["locality"], {"same": request.same}),
        Term("money", money, weights["money"], {"nano": candidate.nano, "cheapest_nano": cheapest}),
        Term("slack", 1.0 if promised is None else promised, weights["slack"], {"deadline_ms": request.deadline_ms}),
    )


def total(score: Sequence[Term]) -> float:
    """The weighted sum, rounded so that float noise never decides."""
    return round(sum(term.value * term.weight for term in score), 9)


def _unused(candidate: Candidate, state: Occupancy, scene: Scene) -> float:
    """Mean over the picks of what stays unused beside them."""
    parts = []
    for pick in candidate.picks:
        device = scene.devices[pick.device]
        parts.append(left_over(device, state.free(device), pick.amounts))
    return min(1.0, max(0.0, sum(parts) / len(parts))) if parts else 0.0


def _rarest_unneeded(request: Request, node: Node, scene: Scene) -> tuple[float, str | None]:
    needed = {need.type for need in request.needs}
    spare = sorted({device.type for device in node.devices} - needed, key=lambda kind: (-scene.rarity[kind], kind))
    return (scene.rarity[spare[0]], spare[0]) if spare else (0.0, None)
