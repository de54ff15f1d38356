"""The ledger as a FOCUS file (CSV), streamed hour by hour."""

import csv
import io
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from django.http import StreamingHttpResponse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.request import Request

from alldata.kernel import clock
from alldata.kernel.intervals import DAY_MS
from alldata.tenancy.api import ApiView
from costing.api.csv_text import safe
from costing.selectors.focus import focus_rows
from costing.selectors.focus_cells import Cells

MAX_SPAN_MS = 31 * DAY_MS
#: Cells that hold numbers: a leading minus is no formula there.
NUMBERS = ("Cost", "Quantity", "UnitPrice")


class Asked(serializers.Serializer[Mapping[str, Any]]):
    """At most 31 days; `focus` is the version of the format."""

    start_timestamp = serializers.IntegerField(min_value=0, max_value=2**53)
    end_timestamp = serializers.IntegerField(min_value=0, max_value=2**53, required=False)
    grain = serializers.ChoiceField(choices=["allocated", "origin"], default="allocated")
    focus = serializers.ChoiceField(choices=["1.4", "1.2"], default="1.4")

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        attrs.setdefault("end_timestamp", clock.now_ms())
        if not 0 < attrs["end_timestamp"] - attrs["start_timestamp"] <= MAX_SPAN_MS:
            raise serializers.ValidationError({"end_timestamp": "must be later, by at most 31 days"})
        return attrs


class FocusExport(ApiView):
    """Every account of the ledger that the viewer may see; sums are the ledger's."""

    @extend_schema(
        parameters=[OpenApiParameter(name, str) for name in map(str, Asked().fields)],
        responses={(200, "text/csv"): OpenApiTypes.STR},
        tags=["cost"],
    )
    def get(self, request: Request) -> StreamingHttpResponse:
        asked = Asked(data=request.query_params)
        asked.is_valid(raise_exception=True)
        given = asked.validated_data
        rows = focus_rows(
            self.viewer(request),
            from_ms=given["start_timestamp"],
            to_ms=given["end_timestamp"],
            grain=given["grain"],
            version=given["focus"],
        )
        name = f'attachment; filename="focus-{given["focus"]}-{given["grain"]}.csv"'
        return StreamingHttpResponse(
            csv_lines(rows), content_type="text/csv; charset=utf-8", headers={"Content-Disposition": name}
        )


def csv_lines(rows: Iterable[Cells]) -> Iterator[str]:
    """The file, line by line; FOCUS columns first, ours (x_) last. Empty when there is nothing."""
    columns: list[str] = []
    for cells in rows:
        if not columns:
            columns = sorted(cells, key=lambda name: (name.startswith("x_"), name))
            yield _line(columns)
        yield _line([_cell(name, cells.get(name)) for name in columns])


def _cell(name: str, value: str | None) -> str:
    return value or "" if name.endswith(NUMBERS) else safe(value)


def _line(cells: list[str]) -> str:
    out = io.StringIO()
    csv.writer(out, lineterminator="\r\n").writerow(cells)
    return out.getvalue()
