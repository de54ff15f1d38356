"""Several machines, gangs on them, and the loops of production on a clock that moves only when told.

A gang runs `("run", SECONDS)` under a profile whose components are spread over nodes.
"""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from alldata.agent.wire import Capacity, Device, NumaNode, Register
from scheduling.executors.base import AttemptKey, LaunchSpec
from scheduling.executors.fake import FakeExecutor, Script
from scheduling.models import Attempt, Job
from scheduling.ports import Ports
from scheduling.services.commands import Entry, Sla
from scheduling.services.execution import drive
from scheduling.services.inventory import register_node
from scheduling.services.placement import Round, place_waiting
from scheduling.services.release import release_due
from tests.world import NOW, FlatRates, home, plugged, submitted

CORES = 4
FIFO = Sla(policy="fifo")


def gang_of(*cores: int, grace: str = "1s") -> dict[str, Any]:
    """A demand vector with one component for each figure."""
    parts = [
        {"name": f"part-{n}", "resources": [{"type": "cpu", "capabilities": [{"name": "cores", "amount": size}]}]}
        for n, size in enumerate(cores)
    ]
    return {"components": parts, "alignment": {"spread": "node"}, "grace_period": grace}


def machines(*names: str, engine: str = "fake", now_ms: int = NOW) -> None:
    """Register machines of four cores each."""
    for name in names:
        cores = Capacity(value=CORES * 1000, source="sysfs", quality="measured")
        cpu = Device(
            uuid=f"{name}/numa0/cpu", type="cpu", name="cores", numa_node=0, capacities={"cpu_millicores": cores}
        )
        message = Register(
            hostname=name, boot_id="boot", epoch="boot-1", cores=CORES, devices=(cpu,), sampling_ms=1000,
            numa=(NumaNode(node=0, cpus=tuple(range(CORES)), memory_bytes=8 << 30),), window_ms=2000, engine=engine,
        )  # fmt: skip
        register_node(message, agent=name, agent_version="0.1.0", now_ms=now_ms)


class GangStage:
    """Machines n0, n1, ... and an engine that plays what `scripts` says of a member, else the time asked for."""

    def __init__(self, folder: Path, *, count: int = 3) -> None:
        self.now_ms, self.names = NOW, tuple(f"n{number}" for number in range(count))
        self.viewer = home()
        self.scripts: dict[int, Script] = {}
        self.specs: dict[AttemptKey, LaunchSpec] = {}
        self.engine = FakeExecutor(now_ms=lambda: self.now_ms, script_for=self._script)
        self.ports: Ports = plugged(self.engine, folder)
        machines(*self.names)

    def _script(self, key: AttemptKey, spec: LaunchSpec) -> Script:
        self.specs[key] = spec
        member = int(spec.env.get("ALLDATA_MEMBER", 0))
        return self.scripts.get(member, Script(duration_ms=int(spec.command[1]) * 1000))

    def submit(self, *cores: int, runs_s: int = 3, sla: Sla = FIFO, **more: Any) -> Job:
        entry = more.pop("entry", Entry(command=("run", str(runs_s))))
        row = submitted(
            self.viewer, profile="", mode="", demand=gang_of(*cores), sla=sla, entry=entry,
            now_ms=self.now_ms, timeout_ms=more.pop("timeout_ms", 60_000), **more,
        )  # fmt: skip
        return Job.objects.get(pk=row.id)

    def place(self) -> Round:
        return place_waiting(prices=FlatRates(), now_ms=self.now_ms)

    def drive(self, times: int = 1) -> None:
        for _ in range(times):
            drive(self.ports, now_ms=self.now_ms)

    def run(self, seconds: int, watch: Callable[[], object] = lambda: None) -> None:
        """Every loop once a second; `watch` looks each time."""
        for _ in range(seconds):
            machines(*self.names, now_ms=self.now_ms)
            release_due(now_ms=self.now_ms)
            self.place()
            self.drive(4)
            watch()
            self.now_ms += 1000


def states(job: Job) -> list[tuple[int, int, str, str]]:
    """(ordinal, member, state, reason) of every attempt."""
    return list(job.attempts.order_by("ordinal", "member").values_list("ordinal", "member", "state", "reason"))


def end_of(job: Job) -> tuple[str, str, Mapping[str, Any]]:
    job.refresh_from_db()
    return job.state, job.reason, job.reason_facts


def live(job: Job) -> list[int]:
    """Members that have not ended."""
    ended = ("succeeded", "failed", "cancelled", "preempted", "lost")
    return list(Attempt.objects.filter(job=job).exclude(state__in=ended).values_list("member", flat=True))
