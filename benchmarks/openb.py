"""The openb traces (Alibaba 2023) as clusters, pods and streams, by the published protocol.

A trace is a list of pods; the stream is the pods in random order, inflated by samples with
replacement (or thinned) until the asked GPUs reach 130 % of the cluster. Nodes get a random
order. Amounts: CPU millicores, memory MiB, GPU thousandths.
"""

import csv
import gzip
import io
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

Ints = npt.NDArray[np.int64]
LOAD = 1.3
#: Order of the published tables.
TRACES = (
    *("default", "cpu050", "cpu100", "cpu200", "cpu250"),
    *("gpushare40", "gpushare60", "gpushare80", "gpushare100"),
    *("multigpu20", "multigpu30", "multigpu40", "multigpu50"),
    *("gpuspec10", "gpuspec20", "gpuspec25", "gpuspec33"),
)


@dataclass(frozen=True, slots=True)
class Pod:
    """One shape of pod: `allowed` models, empty for any."""

    cpu: int
    memory: int
    gpus: int
    milli: int
    allowed: tuple[str, ...]


@dataclass(frozen=True)
class Trace:
    """The distinct shapes and, for each pod of the workload, the number of its shape."""

    shapes: tuple[Pod, ...]
    pods: Ints

    @property
    def weights(self) -> list[int]:
        counts: list[int] = np.bincount(self.pods, minlength=len(self.shapes)).tolist()
        return counts

    @property
    def milli(self) -> Ints:
        """GPU thousandths asked by each shape."""
        return np.array([shape.gpus * shape.milli for shape in self.shapes], dtype=np.int64)


@dataclass(frozen=True, slots=True)
class Machine:
    """One node of the trace."""

    cpu: int
    memory: int
    gpus: int
    model: str


def machines(path: Path) -> list[Machine]:
    """All nodes of a node list."""
    return [Machine(int(r["cpu_milli"]), int(r["memory_mib"]), int(r["gpu"]), r["model"]) for r in rows(path)]


def trace(path: Path) -> Trace:
    """A pod list, in the order of the pods' names."""
    found = [_pod(row) for row in sorted(rows(path), key=lambda row: row["name"])]
    numbers: dict[Pod, int] = {}
    pods = [numbers.setdefault(pod, len(numbers)) for pod in found]
    return Trace(tuple(numbers), np.array(pods, dtype=np.int64))


def stream(trace: Trace, capacity: int, rng: np.random.Generator) -> Ints:
    """Shape numbers in order of arrival, tuned to LOAD times the capacity (in thousandths)."""
    pods, milli, limit = rng.permutation(trace.pods), trace.milli, LOAD * capacity
    total = int(milli[pods].sum())
    if total > limit:
        gone = rng.permutation(len(pods))
        drop = int(np.searchsorted(np.cumsum(milli[pods[gone]]), total - limit)) + 1
        return np.delete(pods, gone[:drop])
    more = rng.choice(trace.pods, size=4 * len(trace.pods))
    ends = total + np.cumsum(milli[more]) > limit
    return np.concatenate([pods, more[: int(np.argmax(ends))]])


def known(folder: Path) -> dict[str, Path]:
    """Published traces that are here, by name."""
    found = {name: path for name in TRACES for path in folder.glob(f"openb_pod_list_{name}.csv*")}
    return {name: found[name] for name in TRACES if name in found}


def models(machines: list[Machine]) -> Counter[str]:
    """GPUs of each model."""
    owned: Counter[str] = Counter()
    for machine in machines:
        owned[machine.model] += machine.gpus
    return owned


def _pod(row: dict[str, str]) -> Pod:
    allowed = tuple(sorted(set(filter(None, (row.get("gpu_spec") or "").split("|")))))
    gpus = int(row["num_gpu"])
    return Pod(int(row["cpu_milli"]), int(row["memory_mib"]), gpus, int(row["gpu_milli"]) if gpus else 0, allowed)


def rows(path: Path) -> list[dict[str, str]]:
    """A list as it is written, compressed or not."""
    data = path.read_bytes()
    text = gzip.decompress(data) if path.suffix == ".gz" else data
    return list(csv.DictReader(io.StringIO(text.decode())))
