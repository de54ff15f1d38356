"""What the benchmarks on streams of openb share: options, the policies by name, work spread over processes."""

import argparse
import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import TypeVar

import numpy as np

from benchmarks import baselines, fgd, openb

SEEDS = range(42, 52)
Task = TypeVar("Task")
Found = TypeVar("Found")


def side_by_side(work: Callable[[Task], Found], tasks: Sequence[Task], processes: int) -> Iterator[Found]:
    """What each task gives, in order; worked on in several processes."""
    if processes <= 1:
        yield from map(work, tasks)
        return
    with ProcessPoolExecutor(processes) as pool:
        yield from pool.map(work, tasks)


def scheduler(name: str, world: baselines.World, draws: np.ndarray, common: fgd.Typical) -> baselines.Scheduler:
    """The baseline of this name on an empty cluster."""
    if name == "random":
        return baselines.Random(world, draws)
    return baselines.Scheduler(world, fgd.Fgd(world, common) if name == "fgd" else baselines.SCORED[name])


def capacity_of(machines: Sequence[openb.Machine]) -> int:
    """GPU thousandths of the cluster."""
    return 1000 * sum(machine.gpus for machine in machines)


def nodes_of(data: Path) -> Path | None:
    """The published node list, where it is here."""
    return next((data / "traces" / "openb").glob("openb_node_list_gpu_node.csv*"), None)


def common_options(parser: argparse.ArgumentParser) -> None:
    """What every benchmark on streams of openb understands."""
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--seeds", type=seeds_of, default=SEEDS, help="42-51, or 1,2,3")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="processes at once")
    parser.add_argument("--json", action="store_true", help="the JSON object alone")


def seeds_of(text: str) -> Sequence[int]:
    """42-51, or 1,2,3"""
    first, dash, last = text.partition("-")
    return range(int(first), int(last) + 1) if dash else [int(part) for part in text.split(",")]
