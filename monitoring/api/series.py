"""The usage series of a job, every capability with its quality, in UTC milliseconds."""

from collections.abc import Mapping

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from alldata.kernel import clock
from alldata.tenancy.api import ApiView
from monitoring.selectors.usage import JobSeries, Series, series_of_job, shown_smooth, smoothing_of


class Span(serializers.Serializer[Mapping[str, int]]):
    """The part of the job's life that is asked for, in UTC milliseconds."""

    start_timestamp = serializers.IntegerField(min_value=0, max_value=2**53, required=False)
    end_timestamp = serializers.IntegerField(min_value=0, max_value=2**53, required=False)
    smooth = serializers.BooleanField(default=False)

    def validate(self, attrs: dict[str, int]) -> dict[str, int]:
        if "start_timestamp" in attrs and attrs.get("end_timestamp", 2**53) <= attrs["start_timestamp"]:
            raise serializers.ValidationError({"end_timestamp": "must be later than start_timestamp"})
        return attrs


class JobMetrics(ApiView):
    """What a job used, per window and capability."""

    @extend_schema(
        parameters=[
            OpenApiParameter("start_timestamp", int, description="UTC ms, default: start of the job"),
            OpenApiParameter("end_timestamp", int, description="UTC ms, default: end of the job or now"),
            OpenApiParameter("smooth", bool, description="means over the stated window, as people see them"),
        ],
        responses=OpenApiTypes.OBJECT,
        tags=["jobs"],
    )
    def get(self, request: Request, ref: str) -> Response:
        asked = Span(data=request.query_params)
        asked.is_valid(raise_exception=True)
        span = (asked.validated_data.get("start_timestamp"), asked.validated_data.get("end_timestamp"))
        found = series_of_job(self.viewer(request), ref, span=span, now_ms=clock.now_ms())
        return Response(series_json(found, smooth=asked.validated_data["smooth"]))


def series_json(found: JobSeries, *, smooth: bool = False) -> dict[str, object]:
    """The answer of `GET /api/v1/jobs/{id}/metrics`."""
    return {
        "job": found.reference,
        "job_id": str(found.job_id),
        "start_timestamp": found.start_ms,
        "end_timestamp": found.end_ms,
        "sampling_interval_ms": found.sampling_ms,
        "coverage": found.coverage,
        "series": [_one_series(series, found.mode, smooth=smooth) for series in found.series],
    }


def _one_series(series: Series, mode: str, *, smooth: bool) -> dict[str, object]:
    rule = smoothing_of(series, mode)
    shown = shown_smooth(series, rule) if smooth else series
    return {
        "capability": series.capability,
        "device": series.device,
        "unit": series.unit,
        "quality": series.quality,
        "source": series.source,
        "attempt": str(series.attempt_id),
        "scope": series.scope,
        "covered_ms": sum(p.end_ms - p.start_ms for p in series.points),
        "points": [[p.start_ms, p.end_ms, p.value] for p in shown.points],
        "shown": {"sampling_interval_ms": rule.sampling_ms, "smoothing_samples": rule.samples, "applied": smooth},
    }
