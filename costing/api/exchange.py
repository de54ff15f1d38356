"""Rates of exchange over REST."""

from collections.abc import Mapping
from typing import Any

from django.db import IntegrityError
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework import serializers, status
from rest_framework.request import Request
from rest_framework.response import Response

from alldata.kernel.money import parse_nano
from alldata.tenancy.api import ApiView
from costing.errors import FinanceOnly
from costing.pricing.exchange import ExchangeRate
from costing.services.exchange import note_rate


class NewRate(serializers.Serializer[Mapping[str, Any]]):
    """One unit of `base` is worth `rate` of `quote` from `as_of_timestamp` on."""

    base = serializers.RegexField(r"^[A-Z]{3}$")
    quote = serializers.RegexField(r"^[A-Z]{3}$")
    rate = serializers.CharField(max_length=30)
    as_of_timestamp = serializers.IntegerField(min_value=0, max_value=2**53)
    reference = serializers.CharField(max_length=300, default="", help_text="where it comes from")


class ExchangeRates(ApiView):
    """Dated rates of exchange; they never change."""

    @extend_schema(request=NewRate, responses=OpenApiTypes.OBJECT, tags=["prices"])
    def post(self, request: Request) -> Response:
        if not self.viewer(request).is_finance:
            raise FinanceOnly
        form = NewRate(data=request.data)
        form.is_valid(raise_exception=True)
        given = form.validated_data
        nano = parse_nano(given["rate"])
        if nano <= 0:
            raise serializers.ValidationError({"rate": "above 0"})
        try:
            note_rate(ExchangeRate(given["base"], given["quote"], given["as_of_timestamp"], nano), given["reference"])
        except IntegrityError:
            raise serializers.ValidationError({"as_of_timestamp": "a rate of that moment is known"}) from None
        return Response({"nano_per_unit": str(nano)}, status=status.HTTP_201_CREATED)
