"""Six published policies on the openb protocol, written anew: Random to FGD (fgd.py).

Definitions follow Weng et al. (USENIX ATC'23) and the policies' published integer scores: 0 to
100, ties to the first node in the run's random order, tightest device unless stated otherwise.
The arrays here belong to the baselines alone; the planner under test has its own. A score is
renewed only where a node changed since the shape was last asked for, as in the planner.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Protocol

import numpy as np
import numpy.typing as npt

from benchmarks.openb import Ints, Machine, Pod, Trace

POLICIES = ("random", "dotprod", "gpu_clustering", "gpu_packing", "bestfit", "fgd")
CPU_MAX, GPU_MAX, WHOLE = 128_000.0, 8_000.0, 1000
Devices = list[int]


class World:
    """State of one run: nodes in their random order."""

    def __init__(self, trace: Trace, machines: Sequence[Machine], order: Ints) -> None:
        names = sorted({m.model for m in machines})
        placed = [machines[i] for i in np.argsort(order)]
        self.pods = trace.shapes
        self.cpu = np.array([m.cpu for m in placed], dtype=np.int64)
        self.memory = np.array([m.memory for m in placed], dtype=np.int64)
        self.gpu = np.full((len(placed), 8), -1, dtype=np.int64)  # thousandths left, -1 where there is no device
        for row, machine in enumerate(placed):
            self.gpu[row, : machine.gpus] = WHOLE
        self.owned = np.array([m.gpus for m in placed], dtype=np.int64)
        self.left = self.owned * WHOLE
        self.model = np.array([names.index(m.model) for m in placed], dtype=np.int64)
        self.kinds = np.zeros((len(placed), 9), dtype=np.int64)  # pods here: shared, then on 1 to 8 whole devices
        self.allowed = np.array([[not p.allowed or name in p.allowed for name in names] for p in self.pods])

    def fits(self, rows: Ints, shape: int) -> npt.NDArray[np.bool_]:
        """The published filter: cores, memory, model, enough devices with room."""
        pod = self.pods[shape]
        room = (self.cpu[rows] >= pod.cpu) & (self.memory[rows] >= pod.memory)
        if pod.gpus:
            room &= self.allowed[shape][self.model[rows]]
            room &= (self.gpu[rows] >= pod.milli).sum(axis=1) >= pod.gpus
        return np.asarray(room)

    def book(self, node: int, shape: int, device: int) -> Devices:
        """Take the pod's amounts: from the given device, or the tightest ones that fit (-1)."""
        pod, own = self.pods[shape], self.gpu[node]
        if pod.gpus and device < 0:
            order = np.argsort(own, kind="stable")
            devices: Devices = order[own[order] >= pod.milli][: pod.gpus].tolist()
        else:
            devices = [device] if pod.gpus else []
        self.change(node, shape, devices, -1)
        return devices

    def change(self, node: int, shape: int, devices: Devices, sign: int) -> None:
        """Take the amounts from these devices (-1), or give them back (1)."""
        pod = self.pods[shape]
        self.cpu[node] += sign * pod.cpu
        self.memory[node] += sign * pod.memory
        if devices:
            self.gpu[node, devices] += sign * pod.milli
            self.left[node] += sign * pod.milli * pod.gpus
            self.kinds[node, _kind(pod)] -= sign


class Policy(Protocol):
    """Points of feasible nodes for a shape, and the device on each (-1: the tightest)."""

    def score(self, world: World, rows: Ints, shape: int) -> tuple[Ints, Ints | int]: ...

    def changed(self, world: World, node: int) -> None:
        """A node's free amounts are different now."""
        ...


Score = Callable[[World, Ints, Pod], Ints]


class Scored:
    """A policy that needs nothing but the present state."""

    def __init__(self, points: Score) -> None:
        self.points = points

    def score(self, world: World, rows: Ints, shape: int) -> tuple[Ints, Ints | int]:
        """The policy's points; devices by the common rule."""
        return self.points(world, rows, world.pods[shape]), -1

    def changed(self, world: World, node: int) -> None:
        """Nothing is kept."""


class Scheduler:
    """One policy on one world: choose, book, give back."""

    def __init__(self, world: World, policy: Policy) -> None:
        self.world, self.policy = world, policy
        self.all = np.arange(len(world.cpu))
        self.log: list[int] = []
        self.kept: dict[int, tuple[Ints, Ints]] = {}
        self.seen: dict[int, int] = {}

    def scores(self, shape: int) -> tuple[Ints, Ints]:
        """(points, device) by node, as of now; -1 points where it does not fit."""
        since = self.seen.get(shape, -1)
        self.seen[shape] = len(self.log)
        if since < 0:
            self.kept[shape] = np.full(len(self.all), -1), np.full(len(self.all), -1)
        points, devices = self.kept[shape]
        rows = self.all if since < 0 or len(self.log) - since > len(self.all) else np.array(self.log[since:], dtype=int)
        if len(rows):
            fits = self.world.fits(rows, shape)
            points[rows[~fits]] = -1
            rows = rows[fits]
        if len(rows):
            points[rows], devices[rows] = self.policy.score(self.world, rows, shape)
        return points, devices

    def place(self, shape: int) -> tuple[int, Devices]:
        """The first best node with its devices, booked; -1 when it fits nowhere."""
        points, devices = self.scores(shape)
        node = int(points.argmax())
        if points[node] < 0:
            return -1, []
        return node, self.book(node, shape, int(devices[node]))

    def book(self, node: int, shape: int, device: int) -> Devices:
        """Take the amounts."""
        taken = self.world.book(node, shape, device)
        self._changed(node)
        return taken

    def give_back(self, node: int, shape: int, devices: Devices) -> None:
        """A job has left."""
        self.world.change(node, shape, devices, 1)
        self._changed(node)

    def _changed(self, node: int) -> None:
        self.policy.changed(self.world, node)
        self.log.append(node)


class Random(Scheduler):
    """Random feasible nodes and devices."""

    def __init__(self, world: World, draws: npt.NDArray[np.float64]) -> None:
        super().__init__(world, Scored(lambda world, rows, pod: np.zeros(len(rows), dtype=np.int64)))
        self.draws = iter(draws.tolist())

    def place(self, shape: int) -> tuple[int, Devices]:
        """Any feasible node; any of its devices for a pod with one."""
        where, which = next(self.draws)
        feasible = np.flatnonzero(self.scores(shape)[0] >= 0)
        if not len(feasible):
            return -1, []
        node, device, pod = int(feasible[int(where * len(feasible))]), -1, self.world.pods[shape]
        if pod.gpus == 1:
            room = np.flatnonzero(self.world.gpu[node] >= pod.milli)
            device = int(room[int(which * len(room))])
        return node, self.book(node, shape, device)


def run(scheduler: Scheduler, shapes: Ints) -> npt.NDArray[np.bool_]:
    """Which pods of a stream found a place."""
    return np.array([scheduler.place(shape)[0] >= 0 for shape in shapes.tolist()], dtype=np.bool_)


def packing(w: World, rows: Ints, pod: Pod) -> Ints:
    """Used GPUs first, then used nodes, then small idle nodes."""
    if pod.gpus == 0:
        return np.zeros(len(rows), dtype=np.int64)
    gpu, owned = w.gpu[rows], w.owned[rows]
    used = (gpu >= 0) & (gpu < WHOLE)
    fitting = (used & (gpu >= pod.milli)).sum(axis=1)
    full = 100 - (np.where(used, gpu, 0) // 10).sum(axis=1) // 10
    opening = np.where(fitting < pod.gpus, 50 - (pod.gpus - fitting), full)
    return np.asarray(np.where((gpu == WHOLE).sum(axis=1) == owned, 33 - owned, opening))


def clustering(w: World, rows: Ints, pod: Pod) -> Ints:
    """Pods of one kind together: kinds are shared, and each number of devices."""
    if pod.gpus == 0:
        return np.zeros(len(rows), dtype=np.int64)
    used, here = 25 * (8000 - w.left[rows]) // 8000, w.kinds[rows].sum(axis=1)
    own = w.kinds[rows, _kind(pod)]
    mixed = np.where(own > 0, 50, 0)
    return np.asarray(used + np.where(here == 0, 25, np.where(own == here, 75, mixed)))


def dotprod(w: World, rows: Ints, pod: Pod) -> Ints:
    """Small products of what is left and what is asked."""
    gpu = pod.gpus * pod.milli
    dot = w.cpu[rows] / CPU_MAX * pod.cpu / CPU_MAX + w.left[rows] / GPU_MAX * gpu / GPU_MAX
    return np.asarray((100 * (1 - dot / 2)).astype(np.int64))


def bestfit(w: World, rows: Ints, pod: Pod) -> Ints:
    """Little left over. Min-max scaling keeps the order, so it is left out."""
    gpu = pod.gpus * pod.milli
    over = 0.5 * (w.cpu[rows] - pod.cpu) / CPU_MAX + 0.5 * (w.left[rows] - gpu) / GPU_MAX
    return np.asarray((100 * (1 - over)).astype(np.int64))


SCORED: Mapping[str, Scored] = {
    "dotprod": Scored(dotprod),
    "gpu_clustering": Scored(clustering),
    "gpu_packing": Scored(packing),
    "bestfit": Scored(bestfit),
}


def _kind(pod: Pod) -> int:
    return 0 if pod.milli < WHOLE else pod.gpus
