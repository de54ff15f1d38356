"""/metrics for Prometheus: utilisation and capacity of every device, from the newest frames.

For display and alerts only; the ledger never reads Prometheus. Absent beats zero: a missing
value has no line. Scrapers present the agent key or an API token.
"""

from collections.abc import Iterable

from django.http import HttpResponse
from drf_spectacular.utils import extend_schema
from prometheus_client import CollectorRegistry
from prometheus_client.core import GaugeMetricFamily, InfoMetricFamily, Metric
from prometheus_client.exposition import CONTENT_TYPE_LATEST, generate_latest
from rest_framework.request import Request
from rest_framework.views import APIView

from alldata.agent.version import VERSION
from alldata.kernel import clock
from alldata.tenancy.auth import AgentAuth, TokenAuth
from monitoring.selectors.live import LiveValue, live_supply

#: Names that dashboards already use, where ours differ.
RESOURCES = {
    "gpu_sm": "gpu_sm_util",
    "gpu_tensor": "gpu_tensor_core_util",
    "hbm_bandwidth": "gpu_hbm_bandwidth",
    "nvlink_bandwidth": "gpu_nvlink_bandwidth",
    "memory_bandwidth": "numa_memory_bandwidth",
}
#: A value older than three of its windows (but at least this) is no longer exported.
STALE_MS = 15_000


def _is_fresh(value: LiveValue) -> bool:
    if value.age_ms is None or value.window_ms is None:
        return False
    return value.age_ms <= max(STALE_MS, 3 * value.window_ms)


class Capabilities:
    """A collector that reads the live values when it is scraped."""

    def __init__(self, values: Iterable[LiveValue]) -> None:
        self.values = list(values)

    def collect(self) -> Iterable[Metric]:
        """Utilisation as a ratio 0..1, capacity in base units, age of each agent's news."""
        labels = ["resource", "device", "node"]
        used = GaugeMetricFamily(
            "crater_resource_capability_utilization", "Used part of a capability, 0..1", labels=[*labels, "quality"]
        )
        capacity = GaugeMetricFamily(
            "crater_resource_capability_capacity", "What the device can give, in base units", labels=labels
        )
        seen: dict[str, float] = {}
        for value in self.values:
            where = [RESOURCES.get(value.dimension, value.dimension), value.device, value.node]
            if value.capacity:
                capacity.add_metric(where, value.capacity)
            if value.value is not None and value.capacity and _is_fresh(value):
                used.add_metric([*where, value.quality], value.value / value.capacity)
            if value.age_ms is not None:
                seen[value.node] = value.age_ms / 1000
        age = GaugeMetricFamily("crater_sample_age_seconds", "Age of the newest window of an agent", labels=["node"])
        for node, seconds in sorted(seen.items()):
            age.add_metric([node], seconds)
        build = InfoMetricFamily("alldata_build", "Which release is running", value={"version": VERSION})
        return [used, capacity, age, build]


class MetricsView(APIView):
    """`GET /metrics`."""

    authentication_classes = [AgentAuth, TokenAuth]

    @extend_schema(exclude=True)
    def get(self, request: Request) -> HttpResponse:
        registry = CollectorRegistry(auto_describe=False)
        registry.register(Capabilities(live_supply(now_ms=clock.now_ms())))
        return HttpResponse(generate_latest(registry), content_type=CONTENT_TYPE_LATEST)
