"""Which jobs with deadlines does the ElasticFlow study publish, and how do they scale?

Source: traces/elasticflow (MIT): ten production clusters and a 195-job test-bed trace. For one
(model, batch) the traces give exactly one rate of iterations per device count, so they carry the
study's measured scaling table; it is read from all of them together.
"""

import csv
import io
import math
import tarfile
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from scheduling.crater.promise import Way

LOAD = 0.9  # asked device time over offered, before any deadline is judged
GPUS_PER_NODE = 8


@dataclass(frozen=True, slots=True)
class DeadlineJob:
    """One job: times in ms, `lasts_ms` on the `units` devices it asked for."""

    name: str
    arrive_ms: int
    lasts_ms: int
    units: int
    deadline_ms: int
    model: tuple[str, str]
    iterations: float

    @property
    def allowed_ms(self) -> int:
        return max(1, self.deadline_ms - self.arrive_ms)


def read(data: Path) -> dict[str, list[DeadlineJob]]:
    """Trace name -> jobs by arrival; raises FileNotFoundError when the archive is not there."""
    found = {}
    with tarfile.open(data / "traces" / "elasticflow" / "elasticflow-traces.tar.gz") as archive:
        for member in archive.getmembers():
            file = archive.extractfile(member) if member.name.endswith(".csv") else None
            if file is not None:
                rows = csv.DictReader(io.TextIOWrapper(file))
                found[Path(member.name).stem] = sorted(_jobs(rows), key=lambda job: (job.arrive_ms, job.name))
    return dict(sorted(found.items()))


def _jobs(rows: Iterable[Mapping[str, str]]) -> Iterable[DeadlineJob]:
    for number, row in enumerate(rows):
        lasts_ms = round(float(row["duration"]) * 1000)
        if lasts_ms > 0:
            yield DeadlineJob(
                name=f"{number:05d}",
                arrive_ms=round(float(row["submission_time"]) * 1000),
                lasts_ms=lasts_ms,
                units=int(row["num_gpu"]),
                deadline_ms=round(float(row["deadline"]) * 1000),
                model=(row["model_name"], row["batch_size"]),
                iterations=float(row["num_iteration"]),
            )


class Scaling:
    """Iterations per ms by model and device count."""

    def __init__(self, traces: Mapping[str, list[DeadlineJob]]) -> None:
        self._rates: dict[tuple[str, str], dict[int, float]] = defaultdict(dict)
        for jobs in traces.values():
            for job in jobs:
                self._rates[job.model][job.units] = job.iterations / job.lasts_ms

    def ways(self, job: DeadlineJob) -> list[Way]:
        """The asked way, and every measured device count for the same iterations."""
        other = [Way(n, math.ceil(job.iterations / rate)) for n, rate in self._rates[job.model].items()]
        return [Way(job.units, job.lasts_ms), *(way for way in other if way.units != job.units)]


def devices_for(jobs: list[DeadlineJob]) -> int:
    """The same number for every policy: asked device time is LOAD of it, whole nodes, no less than the largest job."""
    span = jobs[-1].arrive_ms - jobs[0].arrive_ms
    asked = sum(job.lasts_ms * job.units for job in jobs) / span
    nodes = math.ceil(asked / LOAD / GPUS_PER_NODE)
    return max(nodes * GPUS_PER_NODE, *(job.units for job in jobs))
