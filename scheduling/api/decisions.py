"""/api/v1/jobs/{id}/decisions: what was decided, and the whole table behind each decision."""

from dataclasses import asdict
from typing import Any

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from alldata.tenancy.api import ApiView
from scheduling.api import render
from scheduling.api.jobs import whole_number
from scheduling.selectors.decisions import decisions_of
from scheduling.services.deciding import explained

ANY = OpenApiTypes.OBJECT
MOST_ROWS = 2_000


class Decisions(ApiView):
    """Every decision on a job."""

    @extend_schema(responses=ANY)
    def get(self, request: Request, reference: str) -> Response:
        """In order; `number` leads to the table."""
        rows = decisions_of(self.viewer(request), reference)
        return Response({"decisions": [asdict(row) for row in rows]})


class DecisionMatrix(ApiView):
    """One decision in full."""

    @extend_schema(
        parameters=[
            OpenApiParameter("node", str),
            OpenApiParameter("member", int),
            OpenApiParameter("after", int),
            OpenApiParameter("limit", int),
        ],
        responses=ANY,
    )
    def get(self, request: Request, reference: str, number: int) -> Response:
        """Every device and every rule with what was needed and there, worked out again; number 0 is the latest."""
        found = explained(self.viewer(request), reference, number)
        node = request.query_params.get("node")
        member = whole_number(request, "member", -1, most=10_000)
        rows = [row for row in found.rows if node in (None, row.node) and member in (-1, row.member)]
        after = max(0, whole_number(request, "after", 0, most=10**9))
        limit = max(1, whole_number(request, "limit", 200, most=MOST_ROWS))
        plain: dict[str, Any] = {
            "job": found.job,
            "number": found.number,
            "at_ms": found.at_ms,
            "outcome": found.outcome,
            "node": found.node,
            "nodes": list(found.nodes),
            "reproduced": found.reproduced,
            "unit_slips": [render.slip(asdict(slip)) for slip in found.unit_slips],
            "rows": [asdict(row) | {"ok": row.ok} for row in rows[after : after + limit]],
            "total": len(rows),
        }
        return Response(plain | {"next": after + limit if after + limit < len(rows) else None})
