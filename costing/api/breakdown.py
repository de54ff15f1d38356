"""Breakdowns and comparisons over REST, as JSON or CSV. The question is the URL, so a link shows the same."""

from collections.abc import Mapping
from typing import Any

from django.http import HttpResponse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from alldata.kernel import clock
from alldata.kernel.intervals import DAY_MS
from alldata.kernel.money import Money
from alldata.tenancy.api import ApiView
from costing.api.csv_text import csv_text
from costing.pricing.display import amount_text
from costing.selectors.breakdown import breakdown
from costing.selectors.compare import Comparison, compare
from costing.selectors.questions import Amounts, Answer, By, Question, Row
from costing.selectors.sparks import with_sparks

PRESETS: Mapping[str, int] = {"24h": DAY_MS, "7d": 7 * DAY_MS, "30d": 30 * DAY_MS, "90d": 90 * DAY_MS}
NAMES = ("charged", "used", "allocated_idle", "unmetered", "other", "total")
MAX_ROWS = 1_000


class Asked(serializers.Serializer[Mapping[str, Any]]):
    """A question in the query string. `range` is a preset that ends now; explicit stamps win."""

    by = serializers.ChoiceField(choices=[(by.value, by.value) for by in By], default=By.PROJECT.value)
    range = serializers.ChoiceField(choices=[(name, name) for name in PRESETS], default="30d")
    start_timestamp = serializers.IntegerField(min_value=0, max_value=2**53, required=False)
    end_timestamp = serializers.IntegerField(min_value=0, max_value=2**53, required=False)
    team = serializers.UUIDField(required=False)
    project = serializers.UUIDField(required=False)
    job = serializers.CharField(max_length=60, required=False)
    device = serializers.CharField(max_length=160, required=False)
    capability = serializers.CharField(max_length=40, required=False)
    bucket = serializers.CharField(max_length=20, required=False)
    limit = serializers.IntegerField(min_value=1, max_value=MAX_ROWS, default=50)


def question_in(query: Mapping[str, Any], *, now_ms: int) -> Question:
    """The question a URL asks; pages use the same. Errors: ValidationError."""
    asked = Asked(data=query)
    asked.is_valid(raise_exception=True)
    given = asked.validated_data
    to_ms = given.get("end_timestamp", now_ms)
    from_ms = given.get("start_timestamp", to_ms - PRESETS[given["range"]])
    if to_ms <= from_ms:
        raise serializers.ValidationError({"end_timestamp": "must be later than start_timestamp"})
    filters = {name: given.get(name) for name in ("job", "device", "capability", "bucket")}
    return Question(
        By(given["by"]), from_ms, to_ms, given.get("team"), given.get("project"), **filters, limit=given["limit"]
    )


QUERY = [OpenApiParameter(name, str) for name in map(str, Asked().fields)] + [
    OpenApiParameter("as", str, enum=["json", "csv"]),
    OpenApiParameter("spark", str, description="1: with the amount of each UTC day"),
    OpenApiParameter("bom", str, description="1: begin the CSV with a byte order mark"),
]


class CostBreakdown(ApiView):
    """Rows that sum to their total, to the last digit and as shown."""

    @extend_schema(parameters=QUERY, responses=OpenApiTypes.OBJECT, tags=["cost"])
    def get(self, request: Request) -> Response | HttpResponse:
        question = question_in(request.query_params.dict(), now_ms=clock.now_ms())
        answer = breakdown(self.viewer(request), question)
        if request.query_params.get("spark") == "1":
            answer = with_sparks(self.viewer(request), answer)
        if request.query_params.get("as") == "csv":
            return csv_response(answer, bom=request.query_params.get("bom") == "1")
        return Response(answer_json(answer))


class CostComparison(ApiView):
    """Two questions side by side: `a.` and `b.` before each parameter."""

    @extend_schema(responses=OpenApiTypes.OBJECT, tags=["cost"])
    def get(self, request: Request) -> Response:
        now_ms, query = clock.now_ms(), request.query_params.dict()
        sides = [
            question_in({k[2:]: v for k, v in query.items() if k.startswith(f"{side}.")}, now_ms=now_ms)
            for side in ("a", "b")
        ]
        return Response(comparison_json(compare(self.viewer(request), *sides)))


def answer_json(answer: Answer) -> dict[str, object]:
    """The answer of `GET /api/v1/cost/breakdown`."""
    return {
        "by": answer.question.by.value,
        "start_timestamp": answer.from_ms,
        "end_timestamp": answer.to_ms,
        "currency": answer.currency,
        "total": _amounts_json(answer.total, answer.currency),
        "rows": [_row_json(row, answer.currency) for row in answer.rows],
        "rest": _row_json(answer.rest, answer.currency) if answer.rest else None,
        "groups": answer.groups,
        "price_versions": list(answer.price_versions),
        "state": "provisional" if answer.provisional else "closed",
    }


def _row_json(row: Row, currency: str) -> dict[str, object]:
    return {
        "key": row.key or None,
        "label": row.label,
        "shown": amount_text(row.charged_minor, row.amounts.charged_nano, currency),
        "share_permille": row.share_permille,
        "by_day_nano": [str(nano) for nano in row.spark],
        **_amounts_json(row.amounts, currency),
    }


def _amounts_json(amounts: Amounts, currency: str) -> dict[str, object]:
    money = {name: Money(nano, currency).as_json() for name, nano in zip(NAMES, _nanos(amounts), strict=True)}
    return {**money, "coverage": amounts.coverage}


def _nanos(amounts: Amounts) -> tuple[int, ...]:
    a = amounts
    return a.charged_nano, a.used_nano, a.idle_nano, a.unmetered_nano, a.other_nano, a.total_nano


def csv_response(answer: Answer, *, bom: bool) -> HttpResponse:
    """The same rows; amounts with all their digits."""
    rows = [*answer.rows, *([answer.rest] if answer.rest else [])]
    header = ["key", "label", *NAMES, "currency", "share_permille", "coverage"]
    lines = [
        [
            row.key,
            row.label,
            *(Money(nano, answer.currency).as_json()["amount"] for nano in _nanos(row.amounts)),
            answer.currency,
            row.share_permille,
            row.amounts.coverage,
        ]
        for row in rows
    ]
    text = csv_text(header, lines, bom=bom)
    name = f'attachment; filename="cost-by-{answer.question.by.value}.csv"'
    return HttpResponse(text, content_type="text/csv; charset=utf-8", headers={"Content-Disposition": name})


def comparison_json(found: Comparison) -> dict[str, object]:
    """The answer of `GET /api/v1/cost/compare`."""
    return {
        "a": answer_json(found.a),
        "b": answer_json(found.b),
        "comparable": found.comparable,
        "rows": [
            {
                "key": row.key or None,
                "label": row.label,
                "a": Money(row.a_nano, found.a.currency).as_json(),
                "b": Money(row.b_nano, found.b.currency).as_json(),
                "change": Money(row.change_nano, found.b.currency).as_json(),
                "change_permille": row.change_permille,
            }
            for row in found.rows
        ],
    }
