"""What do jobs ask for, and how often, where nothing has been observed yet?"""

from collections.abc import Iterable

from scheduling.crater.gang import is_gang, members_of
from scheduling.crater.model import Demand, Request


def mix_of(queue: Iterable[Request]) -> tuple[Demand, ...]:
    """Where no demand has been observed yet: the queue itself, unpriced."""
    counts: dict[str, tuple[Request, int]] = {}
    for request in (member for asked in queue for member in (members_of(asked) if is_gang(asked) else (asked,))):
        key = repr(request.needs)
        counts[key] = request, counts.get(key, (request, 0))[1] + 1
    return tuple(Demand(request.needs, count) for _, (request, count) in sorted(counts.items()))
