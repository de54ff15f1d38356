"""A fleet to meter: nodes of eight GPUs with eight capabilities, jobs that hold them, and a day of windows."""

from collections.abc import Iterator
from uuid import UUID

import numpy as np

from alldata.kernel.ids import uuid7
from alldata.kernel.intervals import HOUR_MS
from alldata.tenancy.services.bootstrap import bootstrap_tenancy
from costing.services.books import publish_prices
from costing.services.lists import read_price_list
from monitoring.frames import Columns, Part
from monitoring.frames.packing import TAGS
from monitoring.frames.reading import Window
from profiles.dimensions import ADDITIVE
from scheduling.models import Allocation, Attempt, Device, DeviceCapacity, Job, Node

DAY = 1_794_960_000_000  # a UTC midnight
WINDOW_MS = 60_000
GPUS = 8
CAPACITIES = {
    "gpu_sm": 1_000_000,
    "gpu_memory_bytes": 85_520_809_984,
    "hbm_bandwidth": 2_039_000_000_000,
    "nvlink_bandwidth": 300_000_000_000,
    "pcie_bandwidth": 32_000_000_000,
    "memory_bandwidth": 100_000_000_000,
    "network_bandwidth": 50_000_000_000,
    "storage_bandwidth": 7_000_000_000,
}
NAMES = tuple(sorted(CAPACITIES))
LIMITS = np.array([CAPACITIES[name] for name in NAMES] * GPUS, np.int64)
PER_WINDOW = len(LIMITS)
MEASURED = TAGS["driver", "measured"]
JOB_HOURS = 4
PRICES = """
name: benchmark
currency: CNY
source: benchmark
bills_proxy: true
lines:
  - {type: gpu, hourly: "12.5", weights: {gpu_sm: 300000, hbm_bandwidth: 300000, gpu_memory_bytes: 150000,
     nvlink_bandwidth: 50000, pcie_bandwidth: 50000, network_bandwidth: 50000, storage_bandwidth: 50000,
     memory_bandwidth: 50000}}
"""


def node_name(number: int) -> str:
    """Nodes sort by number."""
    return f"node-{number:04d}"


def gpu(number: int, index: int) -> str:
    """Looks like NVML's: 32 hexadecimal digits that hardly compress."""
    word = (number * GPUS + index + 1) * 0x9E3779B97F4A7C15F39CC0605CEDC835 % 2**128
    return f"GPU-{UUID(int=word)}"


def windows_of_day(number: int, count: int = 1440) -> Iterator[Window]:
    """The node's windows of the day, with values as uneven as measured ones."""
    random = np.random.default_rng(number)
    parts = tuple(Part(gpu(number, index), NAMES) for index in range(GPUS))
    tags = np.full(PER_WINDOW, MEASURED, np.uint8)
    coverage = np.full(PER_WINDOW, WINDOW_MS, np.int64)
    for seq in range(count):
        share = random.random(PER_WINDOW)
        q = (LIMITS * WINDOW_MS * share).astype(np.int64)
        peak = (LIMITS * (0.5 + share / 2)).astype(np.int64)
        start = DAY + seq * WINDOW_MS
        yield Window(f"boot-{number}:1", seq, start, start + WINDOW_MS, Columns(parts, q, peak, coverage, tags))


def make_fleet(nodes: int) -> None:
    """Nodes with their devices and capacities, prices, and jobs that hold four GPUs in five."""
    made = bootstrap_tenancy(username="bench", password="correct horse battery staple")
    publish_prices(read_price_list(PRICES), now_ms=DAY)
    for number in range(nodes):
        node, devices = make_node(number)
        _hold(node, devices, project_id=made.project_id, organisation_id=made.organisation_id)


def make_node(number: int) -> tuple[Node, list[Device]]:
    """One node with its devices and what they can do."""
    node = Node.objects.create(
        name=node_name(number), engine="fake", agent_version="0", boot_id="b", registered_ms=DAY, seen_ms=DAY
    )
    devices = [
        Device(uuid=gpu(number, k), node=node, type="gpu", name=f"gpu{k}", model="A100-SXM4-80GB") for k in range(GPUS)
    ]
    Device.objects.bulk_create(devices)
    known = {f"capacity_{name}": value for name, value in CAPACITIES.items() if name in ADDITIVE}
    DeviceCapacity.objects.bulk_create(DeviceCapacity(device=d, valid_from_ms=DAY, **known) for d in devices)
    return node, devices


def _hold(node: Node, devices: list[Device], *, project_id: UUID, organisation_id: UUID) -> None:
    """One job after another on each GPU, each holding it whole for JOB_HOURS."""
    jobs, attempts, claims = [], [], []
    for index, device in enumerate(devices):
        for hour in range(0, 24, JOB_HOURS):
            if (index + hour // JOB_HOURS) % 5 == 0:
                continue
            start, end = DAY + hour * HOUR_MS, DAY + (hour + JOB_HOURS) * HOUR_MS
            job = job_row(project_id, organisation_id, start)
            attempt = attempt_row(job, node, start, end)
            jobs.append(job)
            attempts.append(attempt)
            for name, amount in CAPACITIES.items():
                claims.append(
                    Allocation(
                        attempt=attempt,
                        device=device,
                        dimension=name,
                        amount=amount,
                        start_ms=start,
                        end_ms=end,
                        state="released",
                    )
                )
    Job.objects.bulk_create(jobs)
    Attempt.objects.bulk_create(attempts)
    Allocation.objects.bulk_create(claims, batch_size=2000)


def job_row(project_id: UUID, organisation_id: UUID, start_ms: int) -> Job:
    """A finished training job."""
    key = uuid7()
    plain = {"mode": "training", "digest": "d", "entry_digest": "e", "submitted_by": "bench", "policy": "balanced"}
    profile = {"profile_name": "p", "profile_version": "1.0", "profile_digest": "p", "demand": {}, "entry": {}}
    _numbers[0] += 1
    return Job(
        id=key,
        project_id=project_id,
        organisation_id=organisation_id,
        number=_numbers[0],
        name="train",
        kind="train",
        request_id=str(key),
        currency="CNY",
        grace_ms=0,
        timeout_ms=HOUR_MS,
        state="succeeded",
        submitted_ms=start_ms,
        changed_ms=start_ms,
        started_ms=start_ms,
        ended_ms=start_ms + JOB_HOURS * HOUR_MS,
        **plain,
        **profile,
    )


_numbers = [0]


def attempt_row(job: Job, node: Node, start_ms: int, end_ms: int) -> Attempt:
    """Its only attempt."""
    return Attempt(
        job=job,
        project_id=job.project_id,
        ordinal=1,
        engine="fake",
        node=node,
        state="succeeded",
        placement={},
        created_ms=start_ms,
        changed_ms=end_ms,
        started_ms=start_ms,
        ended_ms=end_ms,
    )
