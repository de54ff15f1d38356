"""Invoices over REST: locking a billing period."""

from collections.abc import Mapping
from typing import Any

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework import serializers, status
from rest_framework.request import Request
from rest_framework.response import Response

from alldata.kernel import clock
from alldata.tenancy.api import ApiView
from costing.services.invoices import lock_period


class NewInvoice(serializers.Serializer[Mapping[str, Any]]):
    """A billing period to lock."""

    number = serializers.CharField(max_length=60)
    start_timestamp = serializers.IntegerField(min_value=0, max_value=2**53)
    end_timestamp = serializers.IntegerField(min_value=0, max_value=2**53)


class Invoices(ApiView):
    """Lock a period: what is booked for it later is a correction."""

    @extend_schema(request=NewInvoice, responses=OpenApiTypes.OBJECT, tags=["prices"])
    def post(self, request: Request) -> Response:
        form = NewInvoice(data=request.data)
        form.is_valid(raise_exception=True)
        given = form.validated_data
        span = {"start_ms": given["start_timestamp"], "end_ms": given["end_timestamp"]}
        lock_period(self.viewer(request), given["number"], **span, now_ms=clock.now_ms())
        return Response({"number": given["number"]}, status=status.HTTP_201_CREATED)
