"""What a job sends is promised on the link above its devices as well, by the database too."""

from alldata.agent.wire import Capacity, Device, Link, NumaNode, Register
from alldata.tenancy.viewer import Viewer
from profiles.services import ensure_published
from scheduling.models import Allocation, Job
from scheduling.models import Device as DeviceRow
from scheduling.services.inventory import register_node
from scheduling.services.placement import place_waiting
from tests.world import NODE, NOW, FlatRates, home, submitted

PORT = f"{NODE}/link/0000:00:01.0"
PROFILE = """
name: sender
version: '1.0'
resources:
- {type: gpu, capabilities: [{name: sm_utilization, target: 1}, {name: pcie_bandwidth_gbps, amount: 20}]}
"""


def known(value: int) -> Capacity:
    return Capacity(value=value, source="sysfs", quality="measured")


def two_cards_on_one_port() -> None:
    """Each could send 31 GB/s, and so could their port."""
    speed = {"pcie_bandwidth": known(31_000_000_000)}
    cards = [
        Device(f"GPU-{i}", "gpu", "card", 0, PORT, capacities={**speed, "gpu_sm": known(1_000_000)}) for i in range(2)
    ]
    links = tuple(Link("pcie", PORT, card.uuid, speed) for card in cards)
    numa = (NumaNode(node=0, cpus=(0, 1), memory_bytes=1 << 30),)
    devices = (*cards, Device(PORT, "link", "port", 0, capacities=speed))
    register_node(
        Register(NODE, "boot", "e", 2, numa, devices, 1000, 5000, links, engine="fake"),
        agent=NODE,
        agent_version="0.1.0",
        now_ms=NOW,
    )


def sender() -> Viewer:
    viewer = home()
    ensure_published(viewer, PROFILE, now_ms=NOW)
    return viewer


def test_the_second_job_waits_for_the_link_although_its_card_is_free() -> None:
    two_cards_on_one_port()
    viewer = sender()
    for _ in range(2):
        submitted(viewer, profile="sender@1.0", mode="")
    assert place_waiting(prices=FlatRates(), now_ms=NOW).placed == 1
    held = DeviceRow.objects.filter(uuid=PORT).values_list("capacity__reserved_pcie_bandwidth", flat=True)
    assert held.get() == 20_000_000_000
    assert Allocation.objects.filter(device__uuid=PORT, dimension="pcie_bandwidth").count() == 1
    waiting = Job.objects.get(state="queued")
    assert (waiting.reason, waiting.reason_facts["nearest"]["device"]) == ("waiting_free", PORT)


def test_cards_know_their_link_and_that_they_cannot_be_shared() -> None:
    two_cards_on_one_port()
    card = DeviceRow.objects.get(uuid="GPU-0")
    assert (card.parent, card.attributes["isolation"]) == (PORT, "none")
