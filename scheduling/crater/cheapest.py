"""Which sets of jobs cost least to stop? Every non-empty set once, cheapest first, without listing them all."""

from collections.abc import Iterator, Mapping
from heapq import heappop, heappush

TRIED_SETS = 4_096  # per node; a node with more possible sets is cut off and says so by finding a dearer one


def sets_by_loss(names: frozenset[str], losses: Mapping[str, int]) -> Iterator[tuple[int, int, tuple[str, ...]]]:
    """Every non-empty set once, cheapest first, at most TRIED_SETS of them."""
    line = sorted(names, key=lambda name: (losses[name], name))
    heap: list[tuple[int, int, tuple[str, ...], int]] = []
    if line:
        heappush(heap, (losses[line[0]], 1, (line[0],), 0))
    for _ in range(TRIED_SETS):
        if not heap:
            return
        loss, size, chosen, last = heappop(heap)
        yield loss, size, tuple(sorted(chosen))
        if last + 1 < len(line):
            following = line[last + 1]
            heappush(heap, (loss + losses[following], size + 1, (*chosen, following), last + 1))
            swapped = loss - losses[line[last]] + losses[following]
            heappush(heap, (swapped, size, (*chosen[:-1], following), last + 1))
