"""Workloads and clusters that nobody published, made from those that are.

    TRACE[@CLUSTER][~bursts]

TRACE    `default`, or the default pods (those of gpuspec33 for `gpuspec`) with the named share of a kind:
         `cpu150` 15 % of pods without GPU, `gpushare70` 70 % of GPU time in parts of a GPU, `multigpu60`, `gpuspec15`;
         `cores130` and `memory130`: pods on one GPU ask for 130 % of their cores or memory;
         `A+B`: as many pods from each of two published lists
CLUSTER  nodes drawn from the published ones: `resampled` as many, `small` 300, `tiny` 100, `large` twice as many,
         `mixed` as many of each model, `eights` of 8 GPUs only, `few` of fewer than 8 only
bursts   pods on 8 GPUs arrive ten at a time
"""

from collections.abc import Callable, Mapping

import numpy as np

from benchmarks.openb import Ints, Trace

Row = dict[str, str]
COLUMNS = ("name", "cpu_milli", "memory_mib", "num_gpu", "gpu_milli", "gpu_spec")
AT_ONCE = 10
NODES = {"small": 300, "tiny": 100}


def cluster_of(name: str, nodes: list[Row], chance: np.random.Generator) -> list[Row]:
    """The published nodes, or nodes drawn from them."""
    if not name:
        return list(nodes)
    if name in ("eights", "few"):
        nodes, size = [row for row in nodes if (int(row["gpu"]) == 8) == (name == "eights")], len(nodes)
    else:
        size = NODES.get(name, len(nodes) * (2 if name == "large" else 1))
    models = sorted({row["model"] for row in nodes})
    of_model = {model: [row for row in nodes if row["model"] == model] for model in models}
    found = []
    for _ in range(size):
        pool = of_model[models[chance.integers(len(models))]] if name == "mixed" else nodes
        found.append(pool[chance.integers(len(pool))])
    return found


def trace_of(name: str, published: Mapping[str, list[Row]], chance: np.random.Generator) -> list[Row]:
    """The pods of a trace by the rules above."""
    kind, number = name.rstrip("0123456789"), name[len(name.rstrip("0123456789")) :]
    pods = published["gpuspec33" if kind == "gpuspec" else "default"]
    if "+" in name:
        return _renamed(_both([published[part] for part in name.split("+")], chance))
    if not number:
        return pods
    if kind in ("cores", "memory"):
        return [_heavier(row, "cpu_milli" if kind == "cores" else "memory_mib", int(number)) for row in pods]
    if kind == "cpu":
        return _drawn(pods, lambda row: not _milli(row), lambda row: 1, int(number) / 1000, chance)
    plain, gpu = [row for row in pods if not _milli(row)], [row for row in pods if _milli(row)]
    belongs: Callable[[Row], bool] = {
        "gpushare": lambda row: _milli(row) < 1000,
        "multigpu": lambda row: int(row["num_gpu"]) > 1,
        "gpuspec": lambda row: bool(row["gpu_spec"]),
    }[kind]
    weight: Callable[[Row], int] = (lambda row: 1) if kind == "gpuspec" else _milli
    return _renamed(plain + _drawn(gpu, belongs, weight, int(number) / 100, chance))


def in_bursts(trace: Trace, shapes: Ints) -> Ints:
    """The same arrivals, with pods on 8 GPUs waiting for AT_ONCE of them."""
    eight = np.array([pod.gpus == 8 for pod in trace.shapes])[shapes]
    at = np.arange(len(shapes))
    waits = np.flatnonzero(eight)
    last = np.minimum(np.arange(len(waits)) // AT_ONCE * AT_ONCE + AT_ONCE - 1, len(waits) - 1)
    at[waits] = waits[last]
    return shapes[np.argsort(at, kind="stable")]


def _both(lists: list[list[Row]], chance: np.random.Generator) -> list[Row]:
    """As many from each; as many in all as the lists have on average."""
    each = sum(map(len, lists)) // len(lists) ** 2
    found = [rows[chance.integers(len(rows))] for rows in lists for _ in range(each)]
    return [{column: row.get(column, "") for column in COLUMNS} for row in found]


def _heavier(row: Row, column: str, per_cent: int) -> Row:
    return {**row, column: str(int(row[column]) * per_cent // 100)} if int(row["num_gpu"]) == 1 else row


def _drawn(
    rows: list[Row],
    belongs: Callable[[Row], bool],
    weight: Callable[[Row], int],
    share: float,
    chance: np.random.Generator,
) -> list[Row]:
    """As much weight as before, this share of it in rows that belong."""
    total, found = sum(map(weight, rows)), []
    for part, pool in (
        (share, [row for row in rows if belongs(row)]),
        (1 - share, [row for row in rows if not belongs(row)]),
    ):
        left = part * total
        while left > 0:
            found.append(pool[chance.integers(len(pool))])
            left -= weight(found[-1])
    return _renamed(found)


def _renamed(rows: list[Row]) -> list[Row]:
    return [{**row, "name": f"pod-{number:05d}"} for number, row in enumerate(rows)]


def _milli(row: Row) -> int:
    return int(row["num_gpu"]) * int(row["gpu_milli"] or 0)
