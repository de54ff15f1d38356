"""Can this be asked for? A request with an impossible number is refused by the rule `invalid`, and no other suffers."""

import re
from collections.abc import Iterable, Iterator, Sequence

from scheduling.crater.model import Constraint, Need, Refusal, Request, Shortfall
from scheduling.crater.sound import MOST, once

MOST_MS = 2**62
MOST_DEVICES = 100_000


def sifted(queue: Iterable[Request]) -> tuple[list[Request], list[Refusal]]:
    """Requests that can be planned, each once, and the refusals of the others."""
    fine, refused = list[Request](), list[Refusal]()
    known: dict[int, Shortfall | None] = {}  # equal needs are mostly the same object
    for request in once("job", ((r.job, r) for r in queue)):
        needs = id(request.needs)
        if needs not in known:
            known[needs] = next(_of_needs(request.needs), None)
        fault = known[needs] or (None if _are_plain(request) else next(_of_times(request), None))
        if fault is None:
            fine.append(request)
        else:
            refused.append(Refusal(request.job, False, {"invalid": 1}, fault, (fault,)))
    return fine, sorted(refused, key=lambda refusal: refusal.job)


def _are_plain(request: Request) -> bool:
    """Whether all numbers of times and money are what they mostly are; False says nothing."""
    runtime, deadline_ms, cap_nano = request.runtime, request.deadline_ms, request.cap_nano
    told = [request.submitted_ms, request.priority, request.grace_ms]
    told += [] if runtime is None else [runtime.p50_ms, runtime.p90_ms]
    told += [value for value in (deadline_ms, cap_nano) if value is not None]
    return set(map(type, told)) == {int} and min(told) >= -MOST_MS and max(told) <= MOST_MS


def _of_times(request: Request) -> Iterator[Shortfall]:
    told = {"submitted_ms": request.submitted_ms, "priority": request.priority, "grace_ms": request.grace_ms}
    optional = {"deadline_ms": request.deadline_ms, "cap_nano": request.cap_nano}
    if request.runtime is not None:
        told |= {"p50_ms": request.runtime.p50_ms, "p90_ms": request.runtime.p90_ms}
    for name, value in (told | {name: value for name, value in optional.items() if value is not None}).items():
        if not isinstance(value, int) or abs(value) > MOST_MS:
            yield _fault("", name, value, MOST_MS)


def _of_needs(needs: Sequence[Need]) -> Iterator[Shortfall]:
    if not needs:
        yield _fault("", "needs", 0, "at least one")
    for need in needs:
        yield from _of_need(need)


def _of_need(need: Need) -> Iterator[Shortfall]:
    if not isinstance(need.count, int) or not 1 <= need.count <= MOST_DEVICES:
        yield _fault(need.type, "count", need.count, MOST_DEVICES)
    for name, value in (*need.amounts.items(), *need.shares.items()):
        if not isinstance(value, int) or not 0 <= value <= MOST:
            yield _fault(need.type, name, value, MOST)
    for rule in need.constraints:
        if rule.op == "regex" and not _is_pattern(rule):
            yield _fault(need.type, rule.attribute, rule.value, "a regular expression")


def _is_pattern(rule: Constraint) -> bool:
    try:
        re.compile(str(rule.value))
    except re.error:
        return False
    return True


def _fault(kind: str, name: str, value: object, most: int | str) -> Shortfall:
    """`need` is what would be accepted, `have` what was given."""
    return Shortfall("invalid", "", None, kind, name, most, repr(value)[:80])
