"""Whom to stop so that a more important job can start, losing as little work as possible?

Only jobs of strictly lower rank (running.py) on one node are considered. Rank never changes, so
nobody is ever stopped for someone he could stop in turn: chains of preemption have a length of at
most the number of ranks, and no cycle exists. A job is stopped at most LIMIT times in its life.

Lost work is what has run since the last saved state plus the restart, times the size of the job:
its largest share of the node's capacity. Sets are tried in the order of their loss, so the first
that makes room is the cheapest; ties go to fewer victims, then to names.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice

from scheduling.crater.cheapest import sets_by_loss
from scheduling.crater.model import Amounts, Node, Request
from scheduling.crater.running import Running, capacity_of, rank

Fits = Callable[[str, frozenset[str]], bool]  # would the request fit on this node with these jobs gone?
LIMIT = 3
RESTART_MS = 30_000


@dataclass(frozen=True, slots=True)
class Victims:
    """Who stops (Running.key), where, and the loss in device-share x ms (an hour of a whole node is 3.6e12)."""

    node: str
    jobs: tuple[str, ...]
    loss: int


def loss_of(job: Running, capacity: Mapping[str, Amounts], now_ms: int) -> int:
    """What stopping the job throws away, in parts per million of a node's scarcest capability x ms."""
    since = max(0, now_ms - max(job.saved_ms, job.started_ms)) + RESTART_MS
    taken: dict[str, int] = {}
    for pick in job.picks:
        for name, amount in pick.amounts.items():
            taken[name] = taken.get(name, 0) + amount
    total = capacity.get(job.node, {})
    size = max((amount * 1_000_000 // total[name] for name, amount in taken.items() if total.get(name)), default=0)
    return since * max(1, size)


def losses_of(running: Sequence[Running], nodes: Iterable[Node], now_ms: int) -> dict[str, int]:
    """What stopping each running job would throw away; of a gang each member tells what all lose together."""
    capacity = {node.name: capacity_of((node,)) for node in nodes}
    lost = Counter[str]()
    for job in running:
        lost[job.job] += loss_of(job, capacity, now_ms)
    return {job.key: lost[job.job] for job in running}


def victims(request: Request, running: Sequence[Running], losses: Mapping[str, int], fits: Fits) -> Victims | None:
    """The cheapest set whose end lets `request` start; None when no allowed set does."""
    here = by_node(stoppable(request, running))
    best: Victims | None = None
    for node in sorted(here):
        found = cheapest_on(node, here[node], losses, fits, None if best is None else best.loss)
        if found is not None and (best is None or _key(found) < _key(best)):
            best = found
    return best


def stoppable(request: Request, running: Iterable[Running]) -> list[Running]:
    """Who may be stopped for the request."""
    below = rank(request)
    return [job for job in running if job.preemptible and job.preempted < LIMIT and rank(job.request) < below]


def by_node(running: Iterable[Running]) -> dict[str, list[Running]]:
    """Who runs where."""
    found: dict[str, list[Running]] = {}
    for job in running:
        found.setdefault(job.node, []).append(job)
    return found


def leaving_by_node(running: Iterable[Running]) -> dict[str, frozenset[str]]:
    """What leaves each node anyway: it is gone before anybody is stopped there."""
    return {node: frozenset(job.key for job in own) for node, own in by_node(r for r in running if r.leaving).items()}


def _key(found: Victims) -> tuple[int, int, str, tuple[str, ...]]:
    return found.loss, len(found.jobs), found.node, found.jobs


def cheapest_on(
    node: str, jobs: Sequence[Running], losses: Mapping[str, int], fits: Fits, ceiling: int | None
) -> Victims | None:
    """The cheapest of these on their node; None when all are too few, or the cheapest loses more than the ceiling."""
    everyone = frozenset(job.key for job in jobs)
    if not fits(node, everyone):
        return None
    for loss, names in _in_order(everyone, losses, lambda gone: fits(node, gone)):
        if ceiling is not None and loss > ceiling:
            return None
        if fits(node, frozenset(names)):
            return Victims(node, names, loss)
    return _pruned(node, everyone, losses, fits)


def _in_order(
    everyone: frozenset[str], losses: Mapping[str, int], fits: Callable[[frozenset[str]], bool]
) -> Iterator[tuple[int, tuple[str, ...]]]:
    """Sets that may do, cheapest first; after some tries only those with everyone who must go in any case."""
    for loss, _, names in islice(sets_by_loss(everyone, losses), len(everyone)):
        yield loss, names
    needed = frozenset(name for name in everyone if not fits(everyone - {name}))  # more room never hurts
    floor = sum(losses[name] for name in needed)
    if needed:
        yield floor, tuple(sorted(needed))
    for loss, _, names in sets_by_loss(everyone - needed, losses):
        yield floor + loss, tuple(sorted(needed.union(names)))


def _pruned(node: str, everyone: frozenset[str], losses: Mapping[str, int], fits: Fits) -> Victims:
    """Too many sets to try them all: keep the dearest jobs running as long as it still fits."""
    chosen = set(everyone)
    for name in sorted(everyone, key=lambda name: (-losses[name], name)):
        if fits(node, frozenset(chosen - {name})):
            chosen.discard(name)
    return Victims(node, tuple(sorted(chosen)), sum(losses[name] for name in chosen))
