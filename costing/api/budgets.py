"""Budgets over REST: how they stand, and setting them."""

from collections.abc import Mapping
from typing import Any

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework import serializers, status
from rest_framework.request import Request
from rest_framework.response import Response

from alldata.kernel import clock
from alldata.kernel.money import Money, parse_nano
from alldata.tenancy.api import ApiView
from costing.selectors.budgets import BudgetView, budgets_of
from costing.services.budgets import BudgetCommand, set_budget


class NewBudget(serializers.Serializer[Mapping[str, Any]]):
    """A limit over whole UTC days."""

    scope = serializers.ChoiceField(choices=["organisation", "team", "project", "job"])
    scope_id = serializers.UUIDField()
    limit = serializers.CharField(max_length=30)
    start_timestamp = serializers.IntegerField(min_value=0, max_value=2**53)
    end_timestamp = serializers.IntegerField(min_value=0, max_value=2**53)


class Budgets(ApiView):
    """The budgets above what the viewer may see, with burn rates and forecasts."""

    @extend_schema(responses=OpenApiTypes.OBJECT, tags=["cost"])
    def get(self, request: Request) -> Response:
        found = budgets_of(self.viewer(request), now_ms=clock.now_ms())
        return Response({"budgets": [budget_json(view) for view in found]})

    @extend_schema(request=NewBudget, responses=OpenApiTypes.OBJECT, tags=["cost"])
    def post(self, request: Request) -> Response:
        form = NewBudget(data=request.data)
        form.is_valid(raise_exception=True)
        given = form.validated_data
        span = (given["start_timestamp"], given["end_timestamp"])
        command = BudgetCommand(given["scope"], given["scope_id"], parse_nano(given["limit"]), *span)
        made = set_budget(self.viewer(request), command, now_ms=clock.now_ms())
        return Response({"budget": str(made)}, status=status.HTTP_201_CREATED)


def budget_json(view: BudgetView) -> dict[str, object]:
    """One budget; all amounts in its currency."""
    amounts = {
        "limit": view.limit_nano,
        "spent": view.spent_nano,
        "reserved": view.reserved_nano,
        "left": view.left_nano,
        "forecast": view.forecast_nano,
    }
    return {
        "budget": str(view.id),
        "scope": view.scope,
        "scope_id": str(view.scope_id),
        "name": view.name,
        **{name: Money(nano, view.currency).as_json() for name, nano in amounts.items()},
        "start_timestamp": view.start_ms,
        "end_timestamp": view.end_ms,
        "burn_rate": dict(view.burn),
        "state": view.state,
    }
