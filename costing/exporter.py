"""/metrics/cost for Prometheus: whether the books are in order. Amounts themselves are never exported from here."""

from collections.abc import Iterable

from django.http import HttpResponse
from drf_spectacular.utils import extend_schema
from prometheus_client import CollectorRegistry
from prometheus_client.core import GaugeMetricFamily, Metric
from prometheus_client.exposition import CONTENT_TYPE_LATEST, generate_latest
from rest_framework.request import Request
from rest_framework.views import APIView

from alldata.kernel import clock
from alldata.tenancy.auth import AgentAuth, TokenAuth
from costing.selectors.health import Health, health


class Books:
    """A collector over one look at the books."""

    def __init__(self, found: Health) -> None:
        self.found = found

    def collect(self) -> Iterable[Metric]:
        """Watermark and unmetered part of each node, kinds without a price, and the imbalance of the last whole day."""
        reached = GaugeMetricFamily(
            "crater_ledger_watermark_timestamp_seconds", "How far a node is booked", labels=["node"]
        )
        for node, until_ms in sorted(self.found.booked_until_ms.items()):
            reached.add_metric([node], until_ms / 1000)
        missing = GaugeMetricFamily("crater_price_missing", "A kind of device has no price", labels=["type", "model"])
        for kind in self.found.unpriced:
            missing.add_metric(list(kind), 1)
        imbalance = GaugeMetricFamily("crater_ledger_imbalance_nanounits", "Ledger minus daily sums of the last day")
        if self.found.imbalance_nano is not None:
            imbalance.add_metric([], self.found.imbalance_nano)
        blind = GaugeMetricFamily(
            "crater_ledger_unmetered_ratio",
            "Part of what was held in the last whole hour that nobody measured",
            labels=["node"],
        )
        for node, part in sorted(self.found.unmetered.items()):
            blind.add_metric([node], part)
        return [reached, missing, imbalance, blind]


class BooksView(APIView):
    """`GET /metrics/cost`."""

    authentication_classes = [AgentAuth, TokenAuth]

    @extend_schema(exclude=True)
    def get(self, request: Request) -> HttpResponse:
        registry = CollectorRegistry(auto_describe=False)
        registry.register(Books(health(now_ms=clock.now_ms())))
        return HttpResponse(generate_latest(registry), content_type=CONTENT_TYPE_LATEST)
