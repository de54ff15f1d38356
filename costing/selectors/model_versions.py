"""What did each version of a model cost to make, and what do a thousand of its answers cost?

A model version is what one training job left behind and a pipeline served: its training, its server
and its load test are three jobs with exact costs. Ratios are of two sums; what was not measured is None.
"""

from collections.abc import Collection
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from uuid import UUID

from django.db.models import Sum

from alldata.tenancy.viewer import Viewer
from costing.models import LedgerEntry
from costing.rating import Bucket
from costing.selectors.costs import Spend, spend_of_jobs
from costing.selectors.units import BANDWIDTH_Q_PER_GB
from scheduling.selectors.answers import PipelineView
from scheduling.selectors.pipelines import pipelines_of

MOST_VERSIONS = 50


@dataclass(frozen=True, slots=True)
class ModelVersion:
    """One pipeline run with its money. `answers` are the right answers of the load test."""

    run: PipelineView
    currency: str
    training_nano: int
    serving_nano: int
    testing_nano: int
    answers: int
    accuracy: float | None
    thousand: Fraction | None  # nano of the server for a thousand right answers
    thousand_hbm_gb: Decimal | None

    @property
    def total_nano(self) -> int:
        """All three jobs."""
        return self.training_nano + self.serving_nano + self.testing_nano


def model_versions(viewer: Viewer) -> list[ModelVersion]:
    """Versions the viewer may see, newest first."""
    runs = pipelines_of(viewer, limit=MOST_VERSIONS)
    spent = spend_of_jobs({job.id for run in runs for job in (run.trigger, run.serve, run.test) if job})
    moved = _hbm_moved([run.serve.id for run in runs if run.serve])
    return [_version(run, spent, moved) for run in runs]


def _hbm_moved(job_ids: Collection[UUID]) -> dict[UUID, int]:
    rows = LedgerEntry.objects.filter(job_id__in=job_ids, dimension="hbm_bandwidth", bucket=Bucket.USED.value)
    return {job_id: int(q) for job_id, q in rows.values_list("job_id").annotate(q=Sum("q"))}


def _version(run: PipelineView, spent: dict[UUID, Spend], moved: dict[UUID, int]) -> ModelVersion:
    def nano(job_id: UUID | None) -> int:
        return spent[job_id].nano if job_id in spent else 0

    load, serve = run.load, run.serve.id if run.serve else None
    answers = int(load["requests"]) - int(load["failures"]) - int(load["wrong"]) if load else 0
    q = moved.get(serve) if serve else None
    return ModelVersion(
        run=run,
        currency=spent[run.trigger.id].currency if run.trigger.id in spent else run.trigger.currency,
        training_nano=nano(run.trigger.id),
        serving_nano=nano(serve),
        testing_nano=nano(run.test.id if run.test else None),
        answers=answers,
        accuracy=load.get("accuracy"),
        thousand=Fraction(nano(serve) * 1000, answers) if answers > 0 and serve in spent else None,
        thousand_hbm_gb=Decimal(q * 1000) / (BANDWIDTH_Q_PER_GB * answers) if q and answers > 0 else None,
    )
