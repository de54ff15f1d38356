"""What does one unit of a job's work cost: an epoch, a step, a thousand inferences, a thousand HBM-GB?

Every figure is a ratio of two sums over the same job, never a mean of ratios. Without units it
is None, never 0. Compare two jobs only where both were metered for at least 99 %.
"""

from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction

from alldata.tenancy.viewer import Viewer
from costing.selectors.compare import MIN_COVERAGE
from costing.selectors.costs import JobCost, cost_of_job
from scheduling.selectors.metering import attempts_of
from scheduling.selectors.pipelines import pipelines_of

BANDWIDTH_Q_PER_GB = 1000 * 10**9  # bytes/s x ms in a gigabyte


@dataclass(frozen=True, slots=True)
class PerUnit:
    """`unit`: epoch, step, 1000_inferences or what the job calls its units. `count` is how many there were.

    `hbm_gb` and the cost are per one unit (per thousand where the unit says so). `cost` is exact: what a
    unit of cheap work costs may be less than a nano. `cost_nano` is the same rounded down.
    """

    unit: str
    count: int
    cost: Fraction  # nano
    hbm_gb: Decimal | None

    @property
    def cost_nano(self) -> int:
        return int(self.cost)


@dataclass(frozen=True, slots=True)
class JobUnits:
    """A job's unit economics; `comparable` where coverage allows a comparison."""

    cost: JobCost
    units: tuple[PerUnit, ...]
    comparable: bool


def units_of_job(viewer: Viewer, ref: str) -> JobUnits:
    """Cost and GPU memory traffic per unit of work. Errors: JobNotFound."""
    cost = cost_of_job(viewer, ref)
    counts = {**_progress(cost), **_inferences(viewer, cost)}
    units = tuple(_per_unit(cost, unit, count) for unit, count in counts.items() if count > 0)
    return JobUnits(cost, units, (cost.coverage or 0) >= MIN_COVERAGE)


def _progress(cost: JobCost) -> dict[str, int]:
    """What the job said of itself, over all its attempts: the furthest."""
    found: dict[str, int] = {}
    for attempt in attempts_of(cost.job.id):
        told = attempt.progress
        named = {"epoch": told.get("epoch"), "step": told.get("step"), str(told.get("unit") or ""): told.get("units")}
        for unit, count in named.items():
            if unit and isinstance(count, int) and not isinstance(count, bool):
                found[unit] = max(found.get(unit, 0), count)
    return found


def _inferences(viewer: Viewer, cost: JobCost) -> dict[str, int]:
    """Right answers that load tests got from this job's endpoint."""
    total = 0
    for run in pipelines_of(viewer, job=cost.job.reference):
        if run.serve is not None and run.serve.id == cost.job.id and run.load:
            total += int(run.load["requests"]) - int(run.load["failures"]) - int(run.load["wrong"])
    return {"1000_inferences": total}


def _per_unit(cost: JobCost, unit: str, count: int) -> PerUnit:
    scale = 1000 if unit.startswith("1000_") else 1
    moved = [part.used_q for part in cost.parts if part.dimension == "hbm_bandwidth"]
    hbm = Decimal(sum(moved) * scale) / (BANDWIDTH_Q_PER_GB * count) if moved else None
    return PerUnit(unit, count, Fraction(cost.charged_nano * scale, count), hbm)
