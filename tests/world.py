"""A small world for database and door tests: one home, one two-core machine, published profiles.

Built through the product's own services; nothing here writes rows by itself.
"""

import itertools
import json
from collections.abc import Collection
from pathlib import Path
from typing import Any

from django.conf import settings
from django.contrib.auth.models import User

from alldata.agent.wire import Capacity, Device, NumaNode, Register
from alldata.kernel.blobs import BlobStore
from alldata.tenancy.selectors import viewer_of_user
from alldata.tenancy.services.bootstrap import bootstrap_tenancy
from alldata.tenancy.viewer import Viewer
from costing.services.gate import BudgetDesk
from profiles.services import ensure_published
from scheduling.executors.base import Executor
from scheduling.models import DeviceCapacity
from scheduling.ports import Ports, Rate, plug
from scheduling.selectors.answers import JobRow
from scheduling.services.commands import Entry, Sla, SubmitCommand
from scheduling.services.inventory import register_node
from scheduling.services.submission import submit_job

NOW = 1_795_000_000_000
NODE = "worker-0"
_numbers = itertools.count()


class FlatRates:
    """A price list: one nano-unit an hour for everything."""

    def rates(self, devices: Collection[str]) -> list[Rate]:
        return [Rate(uuid, "cpu_millicores", 3_600_000) for uuid in devices if uuid.endswith("cpu")]

    def edition(self) -> str:
        return "flat"

    def currency(self) -> str:
        return "CNY"


class AllMetered:
    """Usage has been received for ever."""

    def metered_until_ms(self, node: str) -> int | None:
        return 2**62


def home() -> Viewer:
    """An administrator of the default organisation, with the built-in profiles published."""
    made = bootstrap_tenancy(username="admin", password="correct horse battery staple")
    viewer = viewer_of_user(User.objects.get(pk=made.user_id))
    for path in sorted((Path(settings.BASE_DIR) / "profiles" / "data").glob("*.yaml")):
        ensure_published(viewer, path.read_text(encoding="utf-8"), now_ms=NOW)
    return viewer


def machine(*, cores: int = 2, memory: int = 8 << 30, engine: str = "fake", now_ms: int = NOW) -> None:
    """Register a machine as its agent would."""

    def known(value: int) -> Capacity:
        return Capacity(value=value, source="sysfs", quality="measured")

    cpu = Device(
        uuid=f"{NODE}/numa0/cpu",
        type="cpu",
        name="cores",
        numa_node=0,
        capacities={"cpu_millicores": known(cores * 1000)},
    )
    pool = Device(
        uuid=f"{NODE}/numa0/memory",
        type="memory",
        name="memory",
        numa_node=0,
        capacities={"memory_bytes": known(memory)},
    )
    disk = Device(
        uuid=f"{NODE}/storage/nvme0n1",
        type="storage",
        name="nvme0n1",
        capacities={"storage_iops": known(100_000)},
    )
    message = Register(
        hostname=NODE,
        boot_id="boot",
        epoch="boot-1",
        cores=cores,
        numa=(NumaNode(node=0, cpus=tuple(range(cores)), memory_bytes=memory),),
        devices=(cpu, pool, disk),
        sampling_ms=1000,
        window_ms=2000,
        engine=engine,
    )
    register_node(message, agent=NODE, agent_version="0.1.0", now_ms=now_ms)


def reserved_cores() -> int:
    """Millicores promised on the one machine."""
    rows = DeviceCapacity.objects.filter(device__type="cpu")
    return int(rows.values_list("reserved_cpu_millicores", flat=True).get())


def plugged(engine: Executor, folder: Path) -> Ports:
    """Ports with the given engine under its own name."""
    made = Ports(
        engines={engine.name: engine},
        blobs=BlobStore(folder / "blobs"),
        prices=FlatRates(),
        budgets=BudgetDesk(),
        usage=AllMetered(),
    )
    plug(made)
    return made


def command(**changes: Any) -> SubmitCommand:
    """A valid training submission with a fresh request id."""
    plain: dict[str, Any] = {
        "name": "digits",
        "profile": "ocr-train-infer@1.0",
        "mode": "training",
        "entry": Entry(command=("python", "-c", "print('hello')")),
        "request_id": f"request-{next(_numbers)}",
        "sla": Sla(deadline_ms=NOW + 600_000),
    }
    return SubmitCommand(**plain | changes)


def submitted(viewer: Viewer, *, now_ms: int = NOW, **changes: Any) -> JobRow:
    """A queued job."""
    return submit_job(viewer, command(**changes), prices=FlatRates(), budgets=BudgetDesk(), now_ms=now_ms)


def api_body(**changes: Any) -> str:
    """A valid body of POST /api/v1/jobs."""
    return json.dumps(
        {
            "name": "digits",
            "profile": "ocr-train-infer@1.0",
            "mode": "training",
            "entry": {"command": ["python", "-c", "print('hello')"]},
        }
        | changes
    )
