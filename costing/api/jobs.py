"""Cost of jobs and projects. Amounts are `{amount, currency, nano}`, all strings."""

from collections.abc import Mapping

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from alldata.kernel import clock
from alldata.kernel.intervals import DAY_MS
from alldata.kernel.money import Money
from alldata.tenancy.api import ApiView
from costing.selectors.costs import CapabilityCost, JobCost, cost_of_job
from costing.selectors.summary import ProjectCost, cost_by_project

DEFAULT_SPAN_MS = 30 * DAY_MS


class JobCostView(ApiView):
    """One job's cost by capability; the parts sum to the total to the last digit."""

    @extend_schema(responses=OpenApiTypes.OBJECT, tags=["cost"])
    def get(self, request: Request, ref: str) -> Response:
        return Response(job_cost_json(cost_of_job(self.viewer(request), ref)))


class Span(serializers.Serializer[Mapping[str, int]]):
    """UTC milliseconds; whole hours that overlap are counted."""

    start_timestamp = serializers.IntegerField(min_value=0, max_value=2**53, required=False)
    end_timestamp = serializers.IntegerField(min_value=0, max_value=2**53, required=False)


class CostSummary(ApiView):
    """Cost of the viewer's projects, default: the last 30 days."""

    @extend_schema(
        parameters=[OpenApiParameter("start_timestamp", int), OpenApiParameter("end_timestamp", int)],
        responses=OpenApiTypes.OBJECT,
        tags=["cost"],
    )
    def get(self, request: Request) -> Response:
        asked = Span(data=request.query_params)
        asked.is_valid(raise_exception=True)
        to_ms = asked.validated_data.get("end_timestamp", clock.now_ms())
        from_ms = asked.validated_data.get("start_timestamp", to_ms - DEFAULT_SPAN_MS)
        found = cost_by_project(self.viewer(request), from_ms=from_ms, to_ms=to_ms)
        return Response(
            {
                "start_timestamp": from_ms,
                "end_timestamp": to_ms,
                "projects": [_project_json(project) for project in found],
            }
        )


def job_cost_json(cost: JobCost) -> dict[str, object]:
    """The answer of `GET /api/v1/cost/jobs/{ref}`."""
    return {
        "job": cost.job.reference,
        "job_id": str(cost.job.id),
        "currency": cost.currency,
        "charge_mode": cost.charge_mode,
        "total": cost.charged.as_json(),
        "held": Money(cost.held_nano, cost.currency).as_json(),
        "parts": [_part_json(part, cost.currency) for part in cost.parts],
        "buckets": {name: Money(nano, cost.currency).as_json() for name, nano in cost.buckets.items()},
        "state": cost.state,
        "final": cost.charged_is_final,
        "closed": cost.closed,
        "corrections": {name: Money(nano, cost.currency).as_json() for name, nano in cost.corrections.items()},
        "coverage": cost.coverage,
        "booked_until_ms": cost.booked_until_ms,
        "price_versions": list(cost.price_versions),
        "example_prices": cost.example_prices,
    }


def _part_json(part: CapabilityCost, currency: str) -> dict[str, object]:
    return {
        "capability": part.dimension,
        "cost": Money(part.charged_nano, currency).as_json(),
        "share_permille": part.share_permille,
        "held_idle": Money(part.idle_nano, currency).as_json(),
        "unmetered": Money(part.unmetered_nano, currency).as_json(),
        "used": {"q": str(part.used_q), "unit": f"{part.unit}*ms"},
        "held": {"q": str(part.held_q), "unit": f"{part.unit}*ms"},
        "used_of_held": part.used_of_held,
        "rate": {"hourly": Money(part.rate_nano_per_hour, currency).as_json(), "unit": part.rate_unit},
        "price_version": part.price_version,
        "devices": list(part.devices),
    }


def _project_json(project: ProjectCost) -> dict[str, object]:
    return {
        "project_id": str(project.project_id),
        "project": project.project,
        "team": project.team,
        "total": Money(project.charged_nano, project.currency).as_json(),
        "held_idle": Money(project.idle_nano, project.currency).as_json(),
        "unmetered": Money(project.unmetered_nano, project.currency).as_json(),
        "parts": {name: Money(nano, project.currency).as_json() for name, nano in project.parts.items()},
        "jobs": project.jobs,
    }
