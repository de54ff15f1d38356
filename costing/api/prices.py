"""Prices over REST: what is in force, what a new list would change, publishing, rates of exchange, invoices."""

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from django.db import IntegrityError, transaction
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework import serializers, status
from rest_framework.request import Request
from rest_framework.response import Response

from alldata.kernel import clock
from alldata.kernel.intervals import DAY_MS
from alldata.kernel.money import Money, parse_nano
from alldata.tenancy.api import ApiView
from alldata.tenancy.audit import Deed, record
from alldata.tenancy.viewer import Viewer
from costing.errors import FinanceOnly
from costing.pricing.exchange import ExchangeRate
from costing.selectors.prices import Prices, known_prices
from costing.services.books import publish_prices
from costing.services.cloud_lists import CloudList, read_cloud_list
from costing.services.exchange import note_rate
from costing.services.invoices import lock_period
from costing.services.lists import PriceList, read_price_list
from costing.services.preview import Preview, preview_prices

MAX_TEXT = 2_000_000


class Written(serializers.Serializer[Mapping[str, Any]]):
    """A list of ours (`yaml`), or a cloud's (`csv`, with the name and currency of the book)."""

    yaml = serializers.CharField(max_length=MAX_TEXT, required=False)
    csv = serializers.CharField(max_length=MAX_TEXT, required=False)
    name = serializers.SlugField(max_length=63, required=False)
    currency = serializers.RegexField(r"^[A-Z]{3}$", required=False)
    reference = serializers.CharField(max_length=300, default="", help_text="where it comes from")
    charge_mode = serializers.CharField(max_length=12, default="consumption")
    gpu_weights = serializers.DictField(child=serializers.IntegerField(min_value=0), required=False)

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        if ("yaml" in attrs) == ("csv" in attrs):
            raise serializers.ValidationError({"yaml": "either yaml or csv"})
        if "csv" in attrs and not {"name", "currency"} <= attrs.keys():
            raise serializers.ValidationError({"name": "a csv needs name and currency"})
        return attrs


def list_in(request: Request, viewer: Viewer, *, now_ms: int) -> PriceList:
    """The list in the body. Errors: FinanceOnly, ValidationError, BadPriceBook, BadAmount."""
    if not viewer.is_finance:
        raise FinanceOnly
    form = Written(data=request.data)
    form.is_valid(raise_exception=True)
    given = form.validated_data
    if "yaml" in given:
        return read_price_list(given["yaml"])
    asked = CloudList(
        given["name"],
        given["currency"],
        given["csv"],
        given["reference"],
        given["charge_mode"],
        given.get("gpu_weights"),
    )
    return read_cloud_list(asked, now_ms=now_ms)


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


def version_json(prices: Prices) -> dict[str, object]:
    """One version with its lines; amounts are per hour."""
    return {
        "version": prices.name,
        "currency": prices.currency,
        "charge_mode": prices.charge_mode,
        "blend_ppm": prices.blend_ppm,
        "source": prices.source,
        "example": prices.example,
        "from_timestamp": prices.from_ms,
        "until_timestamp": prices.until_ms,
        "lines": [
            {**asdict(line), "nano_per_hour": str(line.nano_per_hour), "weights": dict(line.weights)}
            for line in prices.lines
        ],
    }


def preview_json(found: Preview) -> dict[str, object]:
    """The answer of `POST /api/v1/cost/prices/preview`."""

    def money(nano: int | None) -> dict[str, str] | None:
        return None if nano is None else Money(nano, found.currency).as_json()

    return {
        "start_timestamp": found.from_ms,
        "end_timestamp": found.to_ms,
        "kinds": [
            {
                "type": kind.device_type,
                "model": kind.model,
                "devices": kind.devices,
                "old_hourly": money(kind.old_nano),
                "new_hourly": money(kind.new_nano),
            }
            for kind in found.kinds
        ],
        "projects": [
            {"project": p.project, "old": money(p.old_nano), "new": money(p.new_nano)} for p in found.projects
        ],
        "unpriced": found.unpriced,
    }
