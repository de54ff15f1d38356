"""What did one placement policy do to the jobs of several noisy runs? The rows of the topology benchmark."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from benchmarks.crossing import crosses, is_avoidable
from scheduling.crater.director import Outcome
from scheduling.crater.trial import Trial, Watched

MS_PER_HOUR = 3_600_000


@dataclass(frozen=True)
class Run:
    """One policy on one noisy run."""

    outcomes: tuple[Outcome, ...]
    watched: Watched
    trials: Mapping[str, Trial]

    def slowdowns(self) -> dict[str, float]:
        """Job -> time running over time alone and well placed."""
        ended = [(o, self.trials[o.name].alone_ms) for o in self.outcomes if o.ends_ms is not None]
        return {o.name: ((o.ends_ms or 0) - (o.start_ms or 0)) / alone for o, alone in ended}

    def stretches(self) -> list[float]:
        """Time from arrival to end over time alone: waiting counts too."""
        ended = [(o, self.trials[o.name].alone_ms) for o in self.outcomes if o.ends_ms is not None]
        return [((o.ends_ms or 0) - o.arrive_ms) / alone for o, alone in ended]


def row_of(runs: Sequence[Run]) -> dict[str, Any]:
    slow = [value for run in runs for value in run.slowdowns().values()]
    stretch = [value for run in runs for value in run.stretches()]
    pcie = float(np.mean([run.watched.pcie_over_ms for run in runs])) / MS_PER_HOUR
    return {
        "avoidable_cross_numa": sum(_avoidable(run) for run in runs),
        "cross_numa": sum(crosses(placement) for run in runs for placement, _ in run.watched.placements),
        "pcie_over_load_hours": round(pcie, 3),
        "nvme_over_depth": sum(run.watched.over_depth for run in runs),
        "slowdown": _quantiles(slow),
        "arrival_to_end_over_alone": _quantiles(stretch),
        "spread_pct": spread_pct(runs),
        "not_ended": sum(outcome.ends_ms is None for run in runs for outcome in run.outcomes),
    }


def _avoidable(run: Run) -> int:
    crossing = [(p, nodes) for p, nodes in run.watched.placements if crosses(p)]
    return sum(is_avoidable(p, run.trials[p.job].request, nodes) for p, nodes in crossing)


def _quantiles(values: Sequence[float]) -> dict[str, float]:
    p50, p99 = np.quantile(values, [0.5, 0.99])
    return {"mean": round(float(np.mean(values)), 4), "p50": round(float(p50), 4), "p99": round(float(p99), 4)}


def spread_pct(runs: Sequence[Run]) -> float:
    """Half the range of a job's running time over all runs, in per cent of its mean; nine jobs in ten have less."""
    by_job: dict[str, list[float]] = {}
    for run in runs:
        for name, slowdown in run.slowdowns().items():
            by_job.setdefault(name, []).append(slowdown)
    halves = [(max(times) - min(times)) / 2 / float(np.mean(times)) for times in by_job.values() if len(times) > 1]
    return round(100 * float(np.quantile(halves, 0.9)), 2) if halves else 0.0
