"""Six published policies on the openb protocol, written anew: Random to FGD.

Definitions follow Weng et al. (USENIX ATC'23) and the policies' published integer scores: 0 to
100, ties to the first node in the run's random order, tightest device unless stated otherwise.
The arrays here belong to the baselines alone; the planner under test has its own.
"""

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from benchmarks.openb import Ints, Machine, Trace
from scheduling.crater.compiled import jit

POLICIES = ("random", "dotprod", "gpu_clustering", "gpu_packing", "bestfit", "fgd")
RANDOM, DOTPROD, CLUSTERING, PACKING, BESTFIT = range(5)
CPU_MAX, GPU_MAX = 128_000.0, 8_000.0


class World(NamedTuple):
    """State of one run: nodes in their random order."""

    cpu: Ints  # [node] millicores left
    memory: Ints
    gpu: Ints  # [node, device] thousandths left, -1 where there is no device
    model: Ints
    affinity: Ints  # [node] bits: 1 has shared pods, 2 << k has pods on 2**k devices
    pods: Ints  # [shape, (cpu, memory, gpus, milli)]
    allowed: npt.NDArray[np.bool_]  # [shape, model]


def world(trace: Trace, machines: list[Machine], order: Ints) -> World:
    """An empty cluster in the given order."""
    names = sorted({m.model for m in machines})
    placed = [machines[i] for i in np.argsort(order)]
    gpu = np.full((len(placed), 8), -1, dtype=np.int64)
    for row, machine in enumerate(placed):
        gpu[row, : machine.gpus] = 1000
    allowed = np.array([[not pod.allowed or name in pod.allowed for name in names] for pod in trace.shapes])
    return World(
        np.array([m.cpu for m in placed], dtype=np.int64),
        np.array([m.memory for m in placed], dtype=np.int64),
        gpu,
        np.array([names.index(m.model) for m in placed], dtype=np.int64),
        np.zeros(len(placed), dtype=np.int64),
        np.array([[p.cpu, p.memory, p.gpus, p.milli] for p in trace.shapes], dtype=np.int64),
        allowed,
    )


@jit
def fits(w: World, node: int, shape: int) -> bool:
    """The published filter: cores, memory, model, enough devices with room."""
    if w.cpu[node] < w.pods[shape, 0] or w.memory[node] < w.pods[shape, 1]:
        return False
    gpus, milli = w.pods[shape, 2], w.pods[shape, 3]
    if gpus == 0:
        return True
    if not w.allowed[shape, w.model[node]]:
        return False
    found = 0
    for g in range(w.gpu.shape[1]):
        found += w.gpu[node, g] >= milli
    return bool(found >= gpus)


@jit
def left(w: World, node: int) -> Any:
    """GPU thousandths left on a node."""
    total = 0
    for g in range(w.gpu.shape[1]):
        total += max(0, w.gpu[node, g])
    return total


@jit
def book(w: World, node: int, shape: int, device: int) -> None:
    """Take the pod's amounts: the given device, or the tightest ones that fit."""
    w.cpu[node] -= w.pods[shape, 0]
    w.memory[node] -= w.pods[shape, 1]
    gpus, milli = w.pods[shape, 2], w.pods[shape, 3]
    if gpus:
        w.affinity[node] |= 1 if milli < 1000 else 2 * gpus
    for _ in range(gpus):
        best = device
        if device < 0:
            for g in range(w.gpu.shape[1]):
                if w.gpu[node, g] >= milli and (best < 0 or w.gpu[node, g] < w.gpu[node, best]):
                    best = g
        w.gpu[node, best] -= milli


@jit
def packing(w: World, node: int, shape: int) -> Any:
    """Used GPUs first, then used nodes, then small idle nodes."""
    gpus, milli = w.pods[shape, 2], w.pods[shape, 3]
    if gpus == 0:
        return 0
    owned, whole, fitting, spare = 0, 0, 0, 0
    for g in range(w.gpu.shape[1]):
        free = w.gpu[node, g]
        owned += free >= 0
        whole += free == 1000
        if 0 <= free < 1000:
            fitting += free >= milli
            spare += free // 10
    if whole == owned:
        return 33 - owned
    if fitting < gpus:
        return 50 - (gpus - fitting)
    return 100 - spare // 10


@jit
def clustering(w: World, node: int, shape: int) -> Any:
    """Pods of one kind together: kinds are shared, and each number of devices."""
    gpus = w.pods[shape, 2]
    if gpus == 0:
        return 0
    used = 25 * (8000 - left(w, node)) // 8000
    own = 1 if w.pods[shape, 3] < 1000 else 2 * gpus
    here = w.affinity[node]
    if here == 0:
        return 25 + used
    if here == own:
        return 75 + used
    return (50 if here & own else 0) + used


@jit
def score(w: World, node: int, shape: int, policy: int) -> Any:
    """The policy's score of a feasible node."""
    if policy == PACKING:
        return packing(w, node, shape)
    if policy == CLUSTERING:
        return clustering(w, node, shape)
    cpu, gpu = w.pods[shape, 0], w.pods[shape, 2] * w.pods[shape, 3]
    if policy == DOTPROD:
        dot = w.cpu[node] / CPU_MAX * cpu / CPU_MAX + left(w, node) / GPU_MAX * gpu / GPU_MAX
        return int(100 * (1 - dot / 2))
    return int(100 * (1 - (0.5 * (w.cpu[node] - cpu) / CPU_MAX + 0.5 * (left(w, node) - gpu) / GPU_MAX)))


@jit
def scan(w: World, shape: int, policy: int) -> int:
    """The first best feasible node, -1 for none. Min-max scaling keeps BestFit's order, so it is left out."""
    best, top = -1, -1
    for node in range(w.cpu.shape[0]):
        if fits(w, node, shape):
            found = score(w, node, shape, policy)
            if found > top:
                best, top = node, found
    return best


@jit
def scored_run(w: World, shapes: Ints, policy: int, placed: npt.NDArray[np.bool_]) -> None:
    """One stream under a policy that scores nodes."""
    for i in range(shapes.shape[0]):
        node = scan(w, shapes[i], policy)
        placed[i] = node >= 0
        if node >= 0:
            book(w, node, shapes[i], -1)


@jit
def random_run(w: World, shapes: Ints, draws: npt.NDArray[np.float64], placed: npt.NDArray[np.bool_]) -> None:
    """One stream on random feasible nodes and devices."""
    feasible = np.zeros(w.cpu.shape[0], dtype=np.int64)
    for i in range(shapes.shape[0]):
        count = 0
        for node in range(w.cpu.shape[0]):
            if fits(w, node, shapes[i]):
                feasible[count] = node
                count += 1
        placed[i] = count > 0
        if count == 0:
            continue
        node, device = feasible[int(draws[i, 0] * count)], -1
        if w.pods[shapes[i], 2] == 1:
            skip = int(draws[i, 1] * (w.gpu[node] >= w.pods[shapes[i], 3]).sum())
            for g in range(w.gpu.shape[1]):
                if w.gpu[node, g] >= w.pods[shapes[i], 3]:
                    if skip == 0:
                        device = g
                    skip -= 1
        book(w, node, shapes[i], device)
