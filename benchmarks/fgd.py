"""Fragmentation gradient descent, as published: the strongest baseline.

A node's fragmentation is what the typical pods cannot use of its free GPUs; a pod goes where it
raises that least. The published score is an integer (100 times a sigmoid), and ties go to the
first node: both are part of its result. Sums over typical pods are whole numbers, hence exact.
"""

from collections import Counter
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from benchmarks.baselines import WHOLE, World
from benchmarks.openb import Ints, Trace

Shape = tuple[int, int, int, tuple[str, ...]]  # cores, thousandths, GPUs, models
COVERED = 0.95


@dataclass(frozen=True)
class Typical:
    """The most frequent pods that make 95 %: what they ask, how many they are, an example's shape."""

    cpu: Ints
    gpus: Ints
    milli: Ints
    shape: Ints
    count: npt.NDArray[np.float64]


def typical(trace: Trace) -> Typical:
    """Read off the workload before inflation."""
    counts: Counter[Shape] = Counter()
    example: dict[Shape, int] = {}
    for number, (pod, weight) in enumerate(zip(trace.shapes, trace.weights, strict=True)):
        key = (pod.cpu, pod.milli, pod.gpus, pod.allowed)
        counts[key] += weight
        example.setdefault(key, number)
    rows, weights, covered = [], [], 0
    for key, count in counts.most_common():
        if covered >= COVERED * len(trace.pods):
            break
        cpu, milli, gpus, _ = key
        rows.append((cpu, gpus, milli, example[key]))
        weights.append(count)
        covered += count
    asked = np.array(rows, dtype=np.int64).T
    return Typical(asked[0], asked[1], asked[2], asked[3], np.array(weights, dtype=np.float64))


class Fgd:
    """What each node's devices offer to the typical pods, kept up to date."""

    def __init__(self, world: World, common: Typical) -> None:
        self.common = common
        free = np.arange(WHOLE + 1)[:, None]
        self.fit = (free >= common.milli).astype(np.int16)  # [free thousandths, typical pod]
        self.small = np.where(free < common.milli, free, 0).astype(np.int32)
        self.banned = (common.gpus == 0) | ~world.allowed[common.shape].T  # [model, typical pod]
        nodes = len(world.cpu)
        self.fitting = np.zeros((nodes, len(common.cpu)), dtype=np.int16)
        self.wasted = np.zeros((nodes, len(common.cpu)), dtype=np.int32)
        self.frag = np.zeros(nodes)
        for node in range(nodes):
            self.changed(world, node)

    def changed(self, world: World, node: int) -> None:
        """Add up the node anew."""
        levels = world.gpu[node, : world.owned[node]]
        self.fitting[node], self.wasted[node] = self.fit[levels].sum(axis=0), self.small[levels].sum(axis=0)
        wrong = self.banned[world.model[node]] | (world.cpu[node] < self.common.cpu)
        wrong |= self.fitting[node] < self.common.gpus
        self.frag[node] = np.where(wrong, world.left[node], self.wasted[node]) @ self.common.count

    def score(self, world: World, rows: Ints, shape: int) -> tuple[Ints, Ints | int]:
        """100 times a sigmoid of what fragmentation falls by, on the best device of each node."""
        pod = world.pods[shape]
        levels = np.maximum(world.gpu[rows], 0)
        if pod.gpus == 1 and pod.milli < WHOLE:
            after, ways = np.maximum(levels - pod.milli, 0), 1
        else:
            levels, after, ways = np.full((len(rows), 1), WHOLE), np.zeros((len(rows), 1), dtype=int), pod.gpus
        fitting = self.fitting[rows, None] + ways * (self.fit[after] - self.fit[levels])
        wasted = self.wasted[rows, None] + ways * (self.small[after] - self.small[levels])
        wrong = self.banned[world.model[rows]] | (world.cpu[rows, None] - pod.cpu < self.common.cpu)
        spare = world.left[rows] - pod.gpus * pod.milli
        unusable = np.where(wrong[:, None] | (fitting < self.common.gpus), spare[:, None, None], wasted)
        fall = (self.frag[rows, None] - unusable @ self.common.count) / (WHOLE * self.common.count.sum())
        points = (100.0 / (1.0 + np.exp(-fall))).astype(np.int64)
        if levels.shape[1] == 1:
            return points[:, 0], -1
        points[world.gpu[rows] < pod.milli] = -1
        best = points.argmax(axis=1)
        return points[np.arange(len(rows)), best], best
