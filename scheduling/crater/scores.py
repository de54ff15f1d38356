"""Why this place? The parts of the score in words and figures, and their weights.

The planner adds up integers: what the node's worth falls by, what stays unused, what scarce
devices, a NUMA crossing and money cost, all in millionths of a GPU. Here the same parts become
terms between 0 (worst) and 1 (best) whose weighted sum orders places as the integers do.

value      how little the best future filling of the node loses
best_fit   how little of the node stays unused beside the job
scarcity   1 unless the place has GPUs on which other demand insists
locality   1 when all picks share the asked subtree
money      the cheapest kind of place's price over this one's (1 when nothing is priced)
slack      probability of meeting the deadline (1 without one); equal for all places
"""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import lru_cache
from typing import NamedTuple

from alldata.kernel.intervals import HOUR_MS
from scheduling.crater.forecast import on_time
from scheduling.crater.model import Pick, Policy, Request, Term
from scheduling.crater.scene import Scene
from scheduling.crater.topology import CROSSING
from scheduling.crater.worth import MICRO

#: The most that a part can cost, in millionths of a GPU.
VALUE, FIT, SCARCITY = 16 * MICRO, 50_000, 4 * MICRO
#: Terms kept of each kind.
KEPT = 1 << 14
MONEY: Mapping[Policy, int] = {
    Policy.FIFO: MICRO,
    Policy.FAIR_SHARE: MICRO,
    Policy.DEADLINE_AWARE: MICRO // 2,
    Policy.COST_MIN: 64 * MICRO,
}


class Parts(NamedTuple):
    """The integers behind one placement, in millionths of a GPU (lower is better), and its price."""

    value: int
    fit: int
    scarcity: int
    crossing: int
    money: float  # cheapest over this one, 0..1


def per_hour(picks: Sequence[Pick], scene: Scene) -> Fraction:
    """Nano-currency an hour of what the picks take."""
    total = Fraction(0)
    for pick in picks:
        for name, amount in pick.amounts.items():
            capacity = scene.devices[pick.device].capacity.get(name)
            rate = scene.rates.get((pick.device, name))
            if capacity and rate:
                total += Fraction(rate * amount, capacity)
    return total


def price(request: Request, hourly: Fraction, scene: Scene) -> int | None:
    """Predicted cost at the median duration, rounded once; None when nothing is priced or timed."""
    if request.runtime is None or not scene.rates:
        return None
    return _rounded(hourly.numerator * request.runtime.p50_ms, hourly.denominator * HOUR_MS)


def _rounded(over: int, under: int) -> int:
    """The quotient as `round` of a Fraction gives it, halves to the even side, without making one."""
    whole, rest = divmod(over, under)
    return whole + (2 * rest > under or (2 * rest == under and whole % 2))


def chance(request: Request, now_ms: int) -> float | None:
    """Probability of meeting the deadline when started now; None when it cannot be said."""
    if request.deadline_ms is None or request.runtime is None:
        return None
    return on_time(request.runtime, request.deadline_ms - now_ms)


def terms(request: Request, parts: Parts, nano: int | None, promised: float | None) -> tuple[Term, ...]:
    """The score of one placement; the weights add up to 1."""
    value, fit, scarcity, locality, money = WEIGHTS[request.policy]
    return (
        _part("value", parts.value, VALUE, value),
        _part("best_fit", parts.fit, FIT, fit),
        _part("scarcity", parts.scarcity, SCARCITY, scarcity),
        _locality(parts.crossing, request.same, locality),
        _money(parts.money, nano, money),
        _slack(promised, request.deadline_ms),
    )


# Terms that were said before are not made again: most placements share most of them.


@lru_cache(KEPT)
def _part(name: str, cost: int, most: int, weight: float) -> Term:
    return Term(name, _left(cost, most), weight, {"micro_gpu": cost})


@lru_cache(KEPT)
def _locality(crossing: int, same: str, weight: float) -> Term:
    return Term("locality", _left(crossing, CROSSING), weight, {"same": same})


@lru_cache(KEPT)
def _money(share: float, nano: int | None, weight: float) -> Term:
    return Term("money", share, weight, {"nano": nano})


@lru_cache(KEPT)
def _slack(promised: float | None, deadline_ms: int | None) -> Term:
    return Term("slack", 1.0 if promised is None else promised, 0.0, {"deadline_ms": deadline_ms})


def _left(cost: int, most: int) -> float:
    return min(1.0, max(0.0, 1 - cost / most))


def _weights(policy: Policy) -> tuple[float, ...]:
    """Of value, best fit, scarcity, locality and money; slack is equal for all places and weighs nothing."""
    most = (VALUE, FIT, SCARCITY, CROSSING, MONEY[policy])
    return tuple(part / sum(most) for part in most)


WEIGHTS: Mapping[Policy, tuple[float, ...]] = {policy: _weights(policy) for policy in Policy}
