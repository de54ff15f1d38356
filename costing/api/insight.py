"""Unit economics and advice over REST: figures and codes, no prose."""

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from alldata.kernel import clock
from alldata.kernel.money import Money
from alldata.tenancy.api import ApiView
from costing.pricing.display import unit_text
from costing.selectors.advice import Advice, advice_for_job
from costing.selectors.compare import spend_of_profile
from costing.selectors.model_versions import ModelVersion, model_versions
from costing.selectors.units import JobUnits as Units
from costing.selectors.units import units_of_job


class JobUnits(ApiView):
    """What one unit of a job's work cost; an empty list when the job counted nothing."""

    @extend_schema(responses=OpenApiTypes.OBJECT, tags=["cost"])
    def get(self, request: Request, ref: str) -> Response:
        return Response(units_json(units_of_job(self.viewer(request), ref)))


class JobAdvice(ApiView):
    """What limits a job and what lies idle beside it."""

    @extend_schema(responses=OpenApiTypes.OBJECT, tags=["cost"])
    def get(self, request: Request, ref: str) -> Response:
        return Response(advice_json(advice_for_job(self.viewer(request), ref, now_ms=clock.now_ms())))


class ProfileUnits(ApiView):
    """What the jobs of one profile version ("name@version") came to."""

    @extend_schema(responses=OpenApiTypes.OBJECT, tags=["cost"])
    def get(self, request: Request, profile: str) -> Response:
        found = spend_of_profile(self.viewer(request), profile)
        per_job = found.per_job_nano
        return Response(
            {
                "profile": found.profile,
                "jobs": found.jobs,
                "total": Money(found.charged_nano, found.currency).as_json(),
                "per_job": None if per_job is None else Money(per_job, found.currency).as_json(),
            }
        )


class ModelVersions(ApiView):
    """Every served version of a model: its quality and what it cost, newest first."""

    @extend_schema(responses=OpenApiTypes.OBJECT, tags=["cost"])
    def get(self, request: Request) -> Response:
        return Response({"models": [_model_json(one) for one in model_versions(self.viewer(request))]})


def _model_json(one: ModelVersion) -> dict[str, object]:
    run = one.run
    parts = {"training": one.training_nano, "serving": one.serving_nano, "load_test": one.testing_nano}
    return {
        "pipeline": f"P-{run.number}",
        "trained_by": run.trigger.reference,
        "served_by": run.serve.reference if run.serve else None,
        "profile": run.trigger.profile,
        "verdict": run.verdict or None,
        "accuracy": one.accuracy,
        "p99_ms": run.load.get("p99_ms"),
        "answers": one.answers,
        "cost": {name: Money(nano, one.currency).as_json() for name, nano in parts.items()},
        "total": Money(one.total_nano, one.currency).as_json(),
        "thousand_inferences_nano": None if one.thousand is None else f"{float(one.thousand):.6f}",
        "thousand_inferences_hbm_gb": None if one.thousand_hbm_gb is None else f"{one.thousand_hbm_gb:.6f}",
    }


def units_json(found: Units) -> dict[str, object]:
    """The answer of `GET /api/v1/cost/jobs/{ref}/units`."""
    return {
        "job": found.cost.job.reference,
        "coverage": found.cost.coverage,
        "comparable": found.comparable,
        "units": [
            {
                "unit": one.unit,
                "count": one.count,
                "cost": Money(one.cost_nano, found.cost.currency).as_json() | {"amount": unit_text(one.cost)},
                "hbm_gb": None if one.hbm_gb is None else f"{one.hbm_gb:.6f}",
            }
            for one in found.units
        ],
    }


def advice_json(found: Advice) -> dict[str, object]:
    """The answer of `GET /api/v1/cost/jobs/{ref}/advice`."""
    currency = found.cost.currency
    return {
        "job": found.cost.job.reference,
        "hints": [
            {
                "code": hint.code,
                "facts": dict(hint.facts),
                "saving": [Money(nano, currency).as_json() for nano in hint.saving_nano] if hint.saving_nano else None,
            }
            for hint in found.hints
        ],
    }
