"""Prices over REST: what is in force, what a new list would change, and publishing it."""

from django.db import transaction
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework import status
from rest_framework.request import Request
from rest_framework.response import Response

from alldata.kernel import clock
from alldata.kernel.intervals import DAY_MS
from alldata.tenancy.api import ApiView
from alldata.tenancy.audit import Deed, record
from costing.api.price_json import preview_json, version_json
from costing.api.price_lists import Written, list_in
from costing.selectors.prices import known_prices
from costing.services.books import publish_prices
from costing.services.preview import preview_prices


class PriceVersions(ApiView):
    """Every version, newest first, with its lines; posting a list publishes a version."""

    @extend_schema(responses=OpenApiTypes.OBJECT, tags=["prices"])
    def get(self, request: Request) -> Response:
        newest = sorted(known_prices().values(), key=lambda p: -p.from_ms)
        return Response({"versions": [version_json(prices) for prices in newest]})

    @extend_schema(request=Written, responses=OpenApiTypes.OBJECT, tags=["prices"])
    def post(self, request: Request) -> Response:
        now_ms, viewer = clock.now_ms(), self.viewer(request)
        prices = list_in(request, viewer, now_ms=now_ms)
        with transaction.atomic():
            name = publish_prices(prices, now_ms=now_ms)
            record(viewer, Deed("prices.publish", name, facts={"digest": prices.digest}), now_ms=now_ms)
        return Response({"version": name}, status=status.HTTP_201_CREATED)


class PricePreview(ApiView):
    """What a list would change, by the last 30 days. Nothing is written."""

    @extend_schema(request=Written, responses=OpenApiTypes.OBJECT, tags=["prices"])
    def post(self, request: Request) -> Response:
        now_ms, viewer = clock.now_ms(), self.viewer(request)
        prices = list_in(request, viewer, now_ms=now_ms)
        found = preview_prices(viewer, prices, from_ms=now_ms - 30 * DAY_MS, to_ms=now_ms)
        return Response(preview_json(found))
