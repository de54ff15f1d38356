"""Rows for tests of money: a GPU with its agent, jobs that hold it, windows that say what it did.

Unlike tests.world this writes rows directly, because laws are about what is stored, however it came.
"""

from uuid import UUID

from alldata.agent.wire import DeviceUsage, Frame, Usage
from alldata.kernel.intervals import HOUR_MS, Interval
from costing.services.books import publish_prices
from costing.services.lists import read_price_list
from monitoring.services.ingest import ingest_frame
from scheduling.models import Allocation, Attempt, Device, DeviceCapacity, Job, Node

HOUR = 1_795_000_000_000 // HOUR_MS * HOUR_MS
LATER = HOUR + 3 * HOUR_MS
GPU = "GPU-0b5e"
AGENT = "gpu-node"
HBM = 2_039_000_000_000
PRICES = """
name: law
currency: CNY
source: test
bills_proxy: true
lines:
  - {type: gpu, hourly: "12.5", weights: {hbm_bandwidth: 600000, gpu_sm: 400000}}
"""


def gpu(*, hbm: int = HBM, at_ms: int = HOUR, uuid: str = GPU, prices: str = PRICES) -> Device:
    """A priced GPU in service since `at_ms`."""
    publish_prices(read_price_list(prices), now_ms=at_ms)
    node, _ = Node.objects.get_or_create(
        name=AGENT,
        defaults={"engine": "fake", "agent_version": "0", "boot_id": "b", "registered_ms": at_ms, "seen_ms": at_ms},
    )
    device = Device.objects.create(uuid=uuid, node=node, type="gpu", name="gpu0", model="A100")
    DeviceCapacity.objects.create(
        device=device, valid_from_ms=at_ms, capacity_hbm_bandwidth=hbm, capacity_gpu_sm=1_000_000
    )
    return device


def job(project_id: UUID, organisation_id: UUID, number: int = 1, *, span: Interval | None = None) -> Job:
    """A finished job."""
    when = span or Interval(HOUR, HOUR + HOUR_MS)
    return Job.objects.create(
        project_id=project_id, organisation_id=organisation_id, number=number, name=f"job {number}", kind="train",
        mode="training", request_id=f"r{number}", digest="d", entry_digest="e", submitted_by="t", profile_name="p",
        profile_version="1.0", profile_digest="p", demand={}, entry={}, policy="balanced", currency="CNY", grace_ms=0,
        timeout_ms=HOUR_MS, state="succeeded", submitted_ms=when.start_ms, changed_ms=when.end_ms,
        started_ms=when.start_ms, ended_ms=when.end_ms,
    )  # fmt: skip


def attempt(of: Job, device: Device, ordinal: int = 1) -> Attempt:
    """One run of the job on the device's node."""
    return Attempt.objects.create(
        job=of, project_id=of.project_id, ordinal=ordinal, engine="fake", node=device.node, state="succeeded",
        placement={}, created_ms=of.submitted_ms, changed_ms=of.submitted_ms, started_ms=of.started_ms,
        ended_ms=of.ended_ms,
    )  # fmt: skip


def holds(who: Attempt, device: Device, amount: int, span: Interval, dimension: str = "hbm_bandwidth") -> None:
    """A released claim."""
    Allocation.objects.create(
        attempt=who, device=device, dimension=dimension, amount=amount, start_ms=span.start_ms,
        end_ms=span.end_ms, state="released",
    )  # fmt: skip


def window(seq: int, span: Interval, q: int, *, epoch: str = "boot:1", uuid: str = GPU) -> Frame:
    """One window in which the GPU moved q (bytes/s x ms)."""
    usage = {"hbm_bandwidth": Usage(q, "driver", "measured")}
    return Frame(epoch, seq, span.start_ms, span.end_ms, (DeviceUsage(uuid, usage),))


def take(*frames: Frame, now_ms: int = LATER, agent: str = AGENT) -> None:
    """Ingest in the given order."""
    for one in frames:
        ingest_frame(one, agent=agent, now_ms=now_ms)
