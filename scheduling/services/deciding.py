"""Why here, why not there? The whole candidate x rule table of a decision, worked out again from what was recorded."""

from dataclasses import dataclass

from alldata.tenancy.viewer import Viewer
from scheduling.crater.matrix import Row, matrix
from scheduling.crater.unit_slip import UnitSlip, unit_slips
from scheduling.selectors.decisions import find_decision
from scheduling.services.replay import recorded


@dataclass(frozen=True, slots=True)
class Explained:
    """One decision with its table. `reproduced`: the core decides today as it did then."""

    job: str
    number: int
    at_ms: int
    outcome: str
    node: str  # where it was placed, "" when it was not
    rows: tuple[Row, ...]
    unit_slips: tuple[UnitSlip, ...]
    reproduced: bool


def explained(viewer: Viewer, reference: str, number: int) -> Explained:
    """The table of the job's n-th decision, 0 for the latest. Errors: JobNotFound, DecisionNotFound."""
    job, row = find_decision(viewer, reference, number)
    snapshot = recorded(row.planner_input, at_ms=row.at_ms)
    found = matrix(snapshot, str(job.pk))
    request = next((r for r in snapshot.queue if r.job == str(job.pk)), None)
    node = row.answer.get("node", "") if row.outcome != "refused" else ""
    return Explained(
        job=f"J-{job.number}",
        number=number or job.decisions.count(),
        at_ms=row.at_ms,
        outcome=row.outcome,
        node=node,
        rows=found.rows if found else (),
        unit_slips=unit_slips(request.needs, snapshot.nodes) if request else (),
        reproduced=found is not None and (found.placement.node if found.placement else "") == node,
    )
