"""What stands beside the cost of one job? Hour by hour, what a unit of its work cost, and what the figures advise."""

from typing import Any

from alldata.kernel.intervals import HOUR_MS
from alldata.portal.bars import Chart, Pile, chart_of
from alldata.portal.times import local
from alldata.tenancy.viewer import Viewer
from costing.selectors.advice import Hint, advice_for_job
from costing.selectors.breakdown import breakdown, is_provisional
from costing.selectors.costs import JobCost
from costing.selectors.questions import By, Question
from costing.selectors.units import units_of_job

MOST_HOURS, MOST_HINTS = 72, 4


def beside(viewer: Viewer, cost: JobCost, *, now_ms: int) -> dict[str, Any]:
    """Context of the parts of the job's page that this module knows."""
    reference = cost.job.reference
    return {
        "chart": hours_of(viewer, cost, now_ms=now_ms),
        "units": units_of_job(viewer, reference).units,
        "hints": [h for h in advice_for_job(viewer, reference, now_ms=now_ms).hints if worth_saying(h, cost)][
            :MOST_HINTS
        ],
    }


def worth_saying(hint: Hint, cost: JobCost) -> bool:
    """A saving below a hundredth of what was held is noise."""
    return hint.saving_nano is None or hint.saving_nano[1] * 100 >= max(1, cost.held_nano)


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
        piles.append(Pile(f"{local(hour):%H:%M}", (*solid, ("held", held)), is_provisional(hour + HOUR_MS)))
    return chart_of(piles) if piles else None
