"""When more is known of hardware, every node's capabilities follow; its last report is enough for that."""

import pytest

from alldata.agent.wire import Capacity, Device, Link, NumaNode, Register
from alldata.kernel.events import CapacityChanged, KnowledgeChanged
from alldata.outbox.models import OutboxEvent
from alldata.tenancy.models import Organisation
from alldata.tenancy.viewer import Viewer
from profiles.services.knowledge import add_knowledge, withdraw_knowledge
from scheduling.handlers import derive_on_knowledge
from scheduling.models import Device as DeviceRow
from scheduling.models import Link as LinkRow
from scheduling.models import Node
from scheduling.services.inventory import derive_again, register_node

NOW = 1_795_000_000_000
pytestmark = pytest.mark.django_db
GAP = Capacity(None, "driver", "missing", reason="not_reported")
CARD = Device("GPU-1", "gpu", "gpu0", 0, None, "NVIDIA", "NVIDIA B300", {}, {"hbm_bandwidth": GAP})
PORT = Device("port", "link", "port", 0)
FACT = "{value: 8000, unit: GB/s, quality: published, source: vendor page}"
PARTS = f"checked: 2026-12-01\nparts: [{{type: gpu, vendor: nvidia, model: b300, facts: {{hbm_bandwidth: {FACT}}}}}]\n"


@pytest.fixture
def kim() -> Viewer:
    """A platform administrator, whose one node has a card that nobody knows yet."""
    numa = (NumaNode(0, (0,), 2**30),)
    links = (Link("pcie", "port", "GPU-1", {"pcie_bandwidth": Capacity(7, "sysfs", "measured")}),)
    told = Register("h", "boot", "e", 1, numa, (CARD, PORT), 1000, 5000, links)
    register_node(told, agent="n1", agent_version="0.1.0", now_ms=NOW)
    organisation = Organisation.objects.create(slug="acme", name="acme")
    return Viewer(organisation.id, None, "kim", roles=frozenset({"platform_admin"}))


def card() -> tuple[int | None, str]:
    row = DeviceRow.objects.select_related("capacity").get(uuid="GPU-1")
    return row.capacity.capacity_hbm_bandwidth, row.model  # type: ignore[attr-defined]


def test_a_part_that_becomes_known_gives_its_capacity_at_once(kim: Viewer) -> None:
    assert card() == (None, "b300")
    version = add_knowledge(kim, PARTS, now_ms=NOW + 1)[1]
    derive_on_knowledge(KnowledgeChanged(version, NOW + 1), NOW + 2)
    assert card() == (8 * 10**12, "b300")
    assert Node.objects.get().seen_ms == NOW
    withdraw_knowledge(kim, 1, now_ms=NOW + 3)
    assert derive_again(now_ms=NOW + 3) == 1 and card()[0] is None


def test_what_does_not_change_is_no_news(kim: Viewer) -> None:
    before = OutboxEvent.objects.filter(name=CapacityChanged.name).count()
    rows = set(LinkRow.objects.values_list("pk"))
    assert derive_again(now_ms=NOW + 1) == 0
    assert OutboxEvent.objects.filter(name=CapacityChanged.name).count() == before
    assert set(LinkRow.objects.values_list("pk")) == rows


def test_links_and_reasons_are_kept(kim: Viewer) -> None:
    assert list(LinkRow.objects.values_list("kind", "a", "b", "capacity_bytes_per_s")) == [("pcie", "port", "GPU-1", 7)]
    assert DeviceRow.objects.get(uuid="GPU-1").provenance["hbm_bandwidth"]["reason"] == "not_reported"
