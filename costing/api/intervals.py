"""The last level of the drill path over REST: a job's intervals with their exact quantities and money."""

from collections.abc import Mapping

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from alldata.kernel import clock
from alldata.kernel.intervals import HOUR_MS
from alldata.tenancy.api import ApiView
from costing.rating.shares import Share
from costing.selectors.intervals import Asked, held_span, intervals_of_job
from profiles.dimensions import BILLABLE

MOST_HOURS = 24


class Wanted(serializers.Serializer[Mapping[str, object]]):
    """One capability; UTC milliseconds, widened to whole hours; default: the job's first 24 hours."""

    capability = serializers.ChoiceField(choices=list(BILLABLE))
    start_timestamp = serializers.IntegerField(min_value=0, max_value=2**53, required=False)
    end_timestamp = serializers.IntegerField(min_value=0, max_value=2**53, required=False)

    def validate(self, attrs: dict[str, int]) -> dict[str, int]:
        start, end = attrs.get("start_timestamp"), attrs.get("end_timestamp")
        if start is not None and end is not None and not 0 < end - start <= MOST_HOURS * HOUR_MS:
            raise serializers.ValidationError({"end_timestamp": f"after the start, at most {MOST_HOURS} hours"})
        return attrs


class JobIntervals(ApiView):
    """Money is the ledger's, by the hour, divided by quantity inside it; null where an hour is not booked."""

    @extend_schema(
        parameters=[
            OpenApiParameter("capability", str, required=True),
            OpenApiParameter("start_timestamp", int),
            OpenApiParameter("end_timestamp", int),
        ],
        responses=OpenApiTypes.OBJECT,
        tags=["cost"],
    )
    def get(self, request: Request, ref: str) -> Response:
        wanted = Wanted(data=request.query_params)
        wanted.is_valid(raise_exception=True)
        viewer, now_ms, given = self.viewer(request), clock.now_ms(), wanted.validated_data
        held = held_span(viewer, ref, now_ms=now_ms)
        start = given.get("start_timestamp", held.start_ms if held else now_ms)
        end = given.get("end_timestamp", min(held.end_ms if held else now_ms, start + MOST_HOURS * HOUR_MS))
        asked = Asked(ref, given["capability"], start, max(start, end))
        first, last = asked.hours
        found = intervals_of_job(viewer, asked, now_ms=now_ms) if held and first < last else []
        return Response(
            {
                "capability": asked.capability,
                "start_timestamp": first,
                "end_timestamp": last,
                "intervals": [_share_json(share) for share in found],
            }
        )


def _share_json(share: Share) -> dict[str, object]:
    stretch = share.stretch
    return {
        "start_timestamp": stretch.span.start_ms,
        "end_timestamp": stretch.span.end_ms,
        "device": stretch.device,
        "held_q": str(stretch.held_q),
        "used_q": None if stretch.q is None else str(stretch.q),
        "quality": stretch.quality,
        "source": stretch.source or None,
        "used_nano": None if share.used_nano is None else str(share.used_nano),
        "not_used_nano": None if share.idle_nano is None else str(share.idle_nano),
    }
