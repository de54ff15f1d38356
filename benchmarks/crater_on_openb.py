"""The trace in the planner's own terms: nodes with devices, requests with needs.

What runs is the production planner: the same classes, programs, kernels and tables as
scheduling/crater/plan.py uses, fed with the trace's shapes.
"""

from collections.abc import Sequence

import numpy as np

from benchmarks.openb import Ints, Machine, Pod, Trace
from scheduling.crater.board import Board
from scheduling.crater.fleet import fleet
from scheduling.crater.market import market, shadow_prices
from scheduling.crater.model import Constraint, Demand, Device, Need, Node, Request

MIB = 2**20
PPM_PER_MILLI = 1000


def nodes(machines: Sequence[Machine], order: Ints) -> tuple[Node, ...]:
    """The machines under names that put them in a random order."""
    return tuple(_node(machine, f"n{place:05d}") for machine, place in zip(machines, order.tolist(), strict=True))


def needs(pod: Pod) -> tuple[Need, ...]:
    """Cores, memory, and GPUs as a share of each device, on the allowed models only."""
    found = [
        Need("cpu", amounts={"cpu_millicores": pod.cpu}),
        Need("memory", amounts={"memory_bytes": pod.memory * MIB}),
    ]
    if pod.gpus:
        rules = (Constraint("model", "in", pod.allowed),) if pod.allowed else ()
        found.append(Need("gpu", pod.gpus, rules, shares={"gpu_sm": pod.milli * PPM_PER_MILLI}))
    return tuple(found)


def mix(trace: Trace) -> tuple[Demand, ...]:
    """The demand mix of the workload: what comes how often, never in which order."""
    return tuple(Demand(needs(pod), weight) for pod, weight in zip(trace.shapes, trace.weights, strict=True))


def priced(trace: Trace, machines: Sequence[Machine]) -> tuple[Demand, ...]:
    """The mix with shadow prices; depends on the cluster and the mix alone."""
    return shadow_prices(nodes(machines, np.arange(len(machines))), mix(trace))


def board(trace: Trace, machines: Sequence[Machine], demand: Sequence[Demand], order: Ints) -> tuple[Board, Ints]:
    """An empty cluster, and the shape number on it of every shape of the trace."""
    grid = fleet(nodes(machines, order), {})
    made = Board(grid, market(grid, demand))
    neutral = [0] * len(grid.classes)
    shapes = [made.shape(Request("", needs(pod), 0, same="node"), neutral) for pod in trace.shapes]
    return made, np.array(shapes, dtype=np.int64)


def _node(machine: Machine, name: str) -> Node:
    cpu, memory = {"cpu_millicores": machine.cpu}, {"memory_bytes": machine.memory * MIB}
    own = [
        Device(f"{name}/cpu", "cpu", None, None, cpu, cpu),
        Device(f"{name}/memory", "memory", None, None, memory, memory),
    ]
    card, model = {"gpu_sm": 1_000_000}, {"model": machine.model}
    own += [Device(f"{name}/gpu{i}", "gpu", None, None, card, card, model) for i in range(machine.gpus)]
    return Node(name, tuple(own))
