"""What stands beside the cost of one job? Hour by hour, what a unit of its work cost, and what the figures advise."""

from collections.abc import Mapping
from typing import Any

from alldata.kernel.intervals import HOUR_MS, Interval
from alldata.portal.bars import Chart, Pile, chart_of
from alldata.portal.times import MINUTE, SECOND, local
from alldata.tenancy.viewer import Viewer
from costing.rating import Piece, clipped
from costing.selectors.advice import Hint, advice_for_job
from costing.selectors.breakdown import breakdown, is_provisional
from costing.selectors.costs import JobCost
from costing.selectors.intervals import Asked, held_span, intervals_of_parts
from costing.selectors.questions import By, Question
from costing.selectors.units import units_of_job

MOST_HOURS, MOST_HINTS, MOST_BARS = 72, 4, 40
MOST_FINE_MS = 3 * HOUR_MS
STEPS = (SECOND, 5 * SECOND, 15 * SECOND, MINUTE, 5 * MINUTE)


def beside(viewer: Viewer, cost: JobCost, *, now_ms: int) -> dict[str, Any]:
    """Context of the parts of the job's page that this module knows."""
    reference = cost.job.reference
    chart, step = bars_of(viewer, cost, now_ms=now_ms)
    return {
        "chart": chart,
        "step_ms": step,
        "units": units_of_job(viewer, reference).units,
        "hints": [h for h in advice_for_job(viewer, reference, now_ms=now_ms).hints if worth_saying(h, cost)][
            :MOST_HINTS
        ],
    }


def worth_saying(hint: Hint, cost: JobCost) -> bool:
    """A saving below a hundredth of what was held is noise."""
    return hint.saving_nano is None or hint.saving_nano[1] * 100 >= max(1, cost.held_nano)


def bars_of(viewer: Viewer, cost: JobCost, *, now_ms: int) -> tuple[Chart | None, int]:
    """The chart and the length of a bar in ms: whole hours, or parts of them for a job of at most three."""
    reference = cost.job.reference
    held = held_span(viewer, reference, now_ms=now_ms)
    if held is None or held.length_ms > MOST_FINE_MS:
        return hours_of(viewer, cost, now_ms=now_ms), HOUR_MS
    step = step_of(held.length_ms)
    piles: dict[int, dict[str, int]] = {}
    parts, asked = [part.dimension for part in cost.parts], Asked(reference, "", held.start_ms, held.end_ms)
    for capability, found in intervals_of_parts(viewer, asked, parts, now_ms=now_ms).items():
        for share in found:
            for kind, nano in ((capability, share.used_nano), ("held", share.idle_nano)):
                _spread(piles, kind, Piece(share.stretch.span, nano or 0), step)
    return chart_of([_pile(at, piles.get(at, {}), step, cost) for at in _every(piles, step)]) if piles else None, step


def _spread(piles: dict[int, dict[str, int]], kind: str, money: Piece, step: int) -> None:
    """Money of an interval over the bars it crosses, evenly; the parts sum to it."""
    for at in range(money.span.start_ms // step * step, money.span.end_ms, step):
        pile = piles.setdefault(at, {})
        pile[kind] = pile.get(kind, 0) + clipped(money, Interval(at, at + step))


def step_of(span_ms: int) -> int:
    """The shortest step that draws the span in at most forty bars."""
    return next((step for step in STEPS if span_ms <= MOST_BARS * step), STEPS[-1])


def _every(piles: Mapping[int, object], step: int) -> range:
    return range(min(piles), max(piles) + 1, step)


def _pile(at: int, parts: Mapping[str, int], step: int, cost: JobCost) -> Pile:
    solid = [(kind, nano) for kind, nano in parts.items() if kind != "held"]
    label = f"{local(at):%H:%M:%S}" if step < MINUTE else f"{local(at):%H:%M}"
    return Pile(label, (*solid, ("held", parts.get("held", 0))), _may_change(cost, at))


def _may_change(cost: JobCost, at_ms: int) -> bool:
    """A job whose last claim is booked is closed, though others may still book in the same hour."""
    return cost.state != "settled" and is_provisional(at_ms // HOUR_MS * HOUR_MS + HOUR_MS)


def hours_of(viewer: Viewer, cost: JobCost, *, now_ms: int) -> Chart | None:
    """Each UTC hour by capability, what was held and not used on top; the latest hours of a long job."""
    job = cost.job
    if job.started_ms is None or not cost.parts:
        return None
    end = (job.ended_ms or now_ms) + HOUR_MS
    start = max(job.started_ms, end - MOST_HOURS * HOUR_MS)
    hours: dict[int, list[tuple[str, int]]] = {}
    for part in cost.parts:
        question = Question(By.HOUR, start, end, job=job.reference, capability=part.dimension, limit=MOST_HOURS + 2)
        for row in breakdown(viewer, question).rows:
            pile = hours.setdefault(int(row.key), [])
            pile.append((part.dimension, row.amounts.used_nano))
            pile.append(("held", row.amounts.idle_nano + row.amounts.unmetered_nano))
    piles = []
    for hour, parts in sorted(hours.items()):
        solid = [(kind, nano) for kind, nano in parts if kind != "held"]
        held = sum(nano for kind, nano in parts if kind == "held")
        piles.append(Pile(f"{local(hour):%H:%M}", (*solid, ("held", held)), _may_change(cost, hour)))
    return chart_of(piles) if piles else None
