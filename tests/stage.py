"""The loops of production, once a second, on a clock that moves only when told.

A job runs `("run", SECONDS)` under a profile of that many cores; its time limit is all that is known of its duration.
"""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from alldata.tenancy.viewer import Viewer
from profiles.services import ensure_published
from scheduling.executors.base import AttemptKey, LaunchSpec
from scheduling.executors.fake import FakeExecutor, Script
from scheduling.models import Job
from scheduling.ports import Ports
from scheduling.services.commands import Entry, Sla
from scheduling.services.execution import drive
from scheduling.services.placement import place_waiting
from scheduling.services.release import release_due
from tests.world import NOW, FlatRates, home, machine, plugged, submitted

GRACE_S = 1
PROFILE = """
name: cores-{cores}
version: "1.0"
resources:
  - type: cpu
    capabilities:
      - {{name: cores, amount: {cores}}}
grace_period: {grace}s
"""
FIFO = Sla(policy="fifo")


def of_rank(priority: int, *, preemptible: bool | None = None) -> Sla:
    return Sla(policy="fifo", priority=priority, preemptible=preemptible)


class Stage:
    """One machine of `cores` cores."""

    def __init__(self, folder: Path, *, cores: int = 4) -> None:
        self.now_ms, self.cores = NOW, cores
        self.viewer: Viewer = home()
        self.launched = 0
        self.scripts: dict[int, Script] = {}  # what the n-th launch does instead of running its time
        self.engine = FakeExecutor(now_ms=lambda: self.now_ms, script_for=self._script)
        self.ports: Ports = plugged(self.engine, folder)
        machine(cores=cores)
        for size in range(1, cores + 1):
            ensure_published(self.viewer, PROFILE.format(cores=size, grace=GRACE_S), now_ms=NOW)

    def _script(self, key: AttemptKey, spec: LaunchSpec) -> Script:
        self.launched += 1
        return self.scripts.get(self.launched, Script(duration_ms=int(spec.command[1]) * 1000))

    def submit(self, name: str, cores: int, runs_s: int, sla: Sla = FIFO, **more: object) -> Job:
        """A job that says it may take as long as it does, unless `limit_s` says more."""
        limit_s = more.pop("limit_s", runs_s)
        row = submitted(
            self.viewer, name=name, profile=f"cores-{cores}@1.0", mode="", sla=replace(sla),
            entry=Entry(command=("run", str(runs_s))), timeout_ms=int(str(limit_s)) * 1000, now_ms=self.now_ms, **more,
        )  # fmt: skip
        return Job.objects.get(pk=row.id)

    def loops(self) -> None:
        """Every loop, where the clock stands."""
        machine(cores=self.cores, now_ms=self.now_ms)
        release_due(now_ms=self.now_ms)
        place_waiting(prices=FlatRates(), now_ms=self.now_ms)
        for _ in range(3):
            drive(self.ports, now_ms=self.now_ms)

    def run(self, seconds: int, watch: Callable[[], object] = lambda: None) -> None:
        """Run for so long; `watch` looks each second."""
        for _ in range(seconds):
            self.loops()
            watch()
            self.now_ms += 1000


def attempts(job: Job) -> list[tuple[str, str]]:
    """States and reasons, first to last."""
    return list(job.attempts.order_by("ordinal").values_list("state", "reason"))


def state(job: Job) -> str:
    """Where the job stands now."""
    job.refresh_from_db()
    return job.state


def low_and_high(stage: Stage, *, low_s: int = 30) -> tuple[Job, Job]:
    """A job of low rank that has the whole machine, and a more important one that has just come."""
    low = stage.submit("low", 4, low_s, of_rank(-10))
    stage.run(5)
    return low, stage.submit("high", 3, 10, of_rank(10))
