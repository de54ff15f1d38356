"""Whole queues of jobs on a cluster that only counts, played round by round."""

from collections.abc import Mapping, Sequence

from hypothesis import strategies as st

from scheduling.crater.model import Request
from scheduling.crater.rounds import play
from scheduling.crater.running import Running
from scheduling.crater.turns import Now
from tests.pure.crater_rooms import Rooms, started, wants


def starts(queue: Sequence[Request], offered: Mapping[str, int], *, is_backfilling: bool) -> dict[str, int]:
    """Job -> start, playing rounds until all have run; without backfilling nobody passes a waiting job."""
    waiting, running, found, now_ms = list(queue), list[Running](), dict[str, int](), 0
    while waiting:
        running = [r for r in running if r.ends_ms > now_ms]
        chosen = play(waiting, Rooms(offered, running), Now(now_ms, running)).placements
        if not is_backfilling:
            chosen = chosen[: _unbroken(waiting, [p.job for p in chosen])]
        for placement in chosen:
            request = next(r for r in waiting if r.job == placement.job)
            running.append(started(request, placement.node, now_ms))
            found[placement.job] = now_ms
        waiting = [r for r in waiting if r.job not in found]
        now_ms = min((r.ends_ms for r in running), default=now_ms)
    return found


def _unbroken(waiting: Sequence[Request], chosen: Sequence[str]) -> int:
    """How many chosen jobs stand before the first that was not."""
    for count, (request, name) in enumerate(zip(waiting, chosen, strict=False)):
        if request.job != name:
            return count
    return len(chosen)


@st.composite
def queues(draw: st.DrawFn) -> tuple[list[Request], dict[str, int]]:
    """Up to eight jobs that each fit an empty cluster of up to three nodes."""
    offered = {f"n{i}": draw(st.integers(1, 6)) for i in range(draw(st.integers(1, 3)))}
    largest = max(offered.values())
    sizes = draw(st.lists(st.tuples(st.integers(1, largest), st.integers(1, 9)), min_size=1, max_size=8))
    return [wants(f"j{i}", units, lasts) for i, (units, lasts) in enumerate(sizes)], offered
