"""Why here, why not there? The whole candidate x rule table of a decision, worked out again from what was recorded."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

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
    node: str  # where it was placed, "" when it was not; of a gang its first member
    nodes: tuple[str, ...]  # of each member
    rows: tuple[Row, ...]
    unit_slips: tuple[UnitSlip, ...]
    reproduced: bool


def explained(viewer: Viewer, reference: str, number: int) -> Explained:
    """The table of the job's n-th decision, 0 for the latest. Errors: JobNotFound, DecisionNotFound."""
    job, row = find_decision(viewer, reference, number)
    snapshot = recorded(row.planner_input, at_ms=row.at_ms)
    found = matrix(snapshot, str(job.pk))
    request = next((r for r in snapshot.queue if r.job == str(job.pk)), None)
    nodes = _nodes_of(row.answer) if row.outcome != "refused" else ()
    return Explained(
        job=f"J-{job.number}",
        number=number or job.decisions.count(),
        at_ms=row.at_ms,
        outcome=row.outcome,
        node=nodes[0] if nodes else "",
        nodes=nodes,
        rows=found.rows if found else (),
        unit_slips=unit_slips(request.needs, snapshot.nodes) if request else (),
        reproduced=found is not None and (found.placement.nodes if found.placement else ()) == nodes,
    )


def _nodes_of(answer: Mapping[str, Any]) -> tuple[str, ...]:
    """The nodes that an answer names, in the order of the members."""
    return tuple(part["node"] for part in answer.get("members") or [answer] if part.get("node"))
