"""What do jobs ask for, and how often, where nothing has been observed yet?"""

from collections.abc import Iterable

from scheduling.crater.gang import is_gang, members_of
from scheduling.crater.model import Demand, Request


def mix_of(queue: Iterable[Request]) -> tuple[Demand, ...]:
    """Where no demand has been observed yet: the queue itself, unpriced."""
    same: dict[int, list[Request]] = {}  # equal needs are mostly the same object
    for request in (member for asked in queue for member in (members_of(asked) if is_gang(asked) else (asked,))):
        same.setdefault(id(request.needs), []).append(request)
    counts: dict[str, tuple[Request, int]] = {}
    for group in same.values():
        key = repr(group[0].needs)
        counts[key] = group[-1], counts.get(key, (group[0], 0))[1] + len(group)
    return tuple(Demand(request.needs, count) for _, (request, count) in sorted(counts.items()))
