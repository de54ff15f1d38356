"""Whose turn is it?

Jobs for which others were stopped come first: the room is theirs. Then four bands. Deadlines that
can still be met come first, least slack first (deadline minus now minus the 90 % duration); then
priority; within one priority, jobs under `fair_share` are dealt out to the team with the least
weighted dominant share and keep their places among the others by age. Deadlines that even a median
run would miss come after those that can be met: to run a lost job first only loses the next one
too. `fifo` and `cost_min` jobs have no slack to shrink.
The job name breaks ties, so the order of the input never matters.
"""

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from math import inf

from scheduling.crater.model import Amounts, Policy, Request
from scheduling.crater.running import Teams

NOBODY = Teams()
_UNHURRIED = frozenset({Policy.FIFO, Policy.COST_MIN})


def slack_ms(request: Request, now_ms: int) -> float:
    """How long the job could still wait and meet its deadline nine times in ten."""
    if request.deadline_ms is None or request.policy in _UNHURRIED:
        return inf
    return request.deadline_ms - now_ms - (request.runtime.p90_ms if request.runtime else 0)


def is_lost(request: Request, now_ms: int) -> bool:
    """True when a run started now would more likely than not miss the deadline."""
    if request.deadline_ms is None or request.policy in _UNHURRIED:
        return False
    return now_ms + (request.runtime.p50_ms if request.runtime else 0) > request.deadline_ms


def ordered(queue: Iterable[Request], now_ms: int, teams: Teams = NOBODY) -> list[Request]:
    """The queue in the order of decision."""
    everyone = sorted(queue, key=lambda r: (-r.priority, r.submitted_ms, r.job))
    owed, by_age = [r for r in everyone if r.owed], [r for r in everyone if not r.owed]
    hurried = [r for r in by_age if slack_ms(r, now_ms) < inf and not is_lost(r, now_ms)]
    calm = [r for r in by_age if slack_ms(r, now_ms) == inf]
    lost = [r for r in by_age if is_lost(r, now_ms)]
    hurried.sort(key=lambda r: (slack_ms(r, now_ms), -r.priority, r.submitted_ms, r.job))
    return [*owed, *hurried, *lost, *_dealt(calm, teams)]


def dominant_share(held: Amounts, teams: Teams, team: str) -> Fraction:
    """The largest part of any capacity that the team holds, over its weight. Exact."""
    parts = [Fraction(held.get(name, 0), total) for name, total in teams.capacity.items() if total > 0]
    return max(parts, default=Fraction(0)) / max(1, teams.weights.get(team, 1))


def _dealt(calm: Sequence[Request], teams: Teams) -> list[Request]:
    """The same places by priority and age; within them fair-share jobs change seats by share."""
    seats: dict[int, list[int]] = {}
    for index, request in enumerate(calm):
        if request.policy is Policy.FAIR_SHARE:
            seats.setdefault(request.priority, []).append(index)
    found = list(calm)
    held = {team: dict(amounts) for team, amounts in teams.held.items()}
    for indices in seats.values():
        for index, request in zip(indices, _by_share([calm[i] for i in indices], held, teams), strict=True):
            found[index] = request
    return found


def _by_share(requests: Sequence[Request], held: dict[str, dict[str, int]], teams: Teams) -> Iterable[Request]:
    """Progressive filling: always the team that would hold least now, its oldest job first."""
    waiting: dict[str, list[Request]] = {}
    for request in reversed(requests):
        waiting.setdefault(request.team, []).append(request)
    shares = {team: dominant_share(held.get(team, {}), teams, team) for team in waiting}
    while waiting:
        team = min(waiting, key=lambda t: (shares[t], waiting[t][-1].submitted_ms, t))
        request = waiting[team].pop()
        mine = held.setdefault(team, {})
        for name, amount in _asked_of(request).items():
            mine[name] = mine.get(name, 0) + amount
        shares[team] = dominant_share(mine, teams, team)
        if not waiting[team]:
            del waiting[team]
        yield request


def _asked_of(request: Request) -> Mapping[str, int]:
    """What the job will hold as far as its absolute amounts tell; at least one unit of its device types."""
    total: dict[str, int] = {}
    for need in request.needs:
        for name, amount in need.amounts.items():
            total[name] = total.get(name, 0) + amount * need.count
        for name, share in need.shares.items():  # a share of a device: counted in parts per million of devices
            total[name] = total.get(name, 0) + (share * need.count if name not in need.amounts else 0)
    return total
