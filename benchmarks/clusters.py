"""A synthetic cluster and its jobs: machine kinds in fixed proportions, request shapes from a seed.

Kinds and proportions follow the public GPU clusters in outline: mostly 8-GPU and 2-GPU servers,
some small ones and a few without GPUs. The few shapes are flavours as people ask for them; many
shapes vary cores, memory and GPU share freely.
"""

from dataclasses import dataclass

import numpy as np

from scheduling.crater.model import Constraint, Demand, Device, Need, Node, Request, Snapshot

GIB = 2**30
NOW_MS = 1_800_000_000_000


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind of machine; `parts` is its share of the cluster in per cent."""

    parts: int
    cores: int
    gib: int
    gpus: int
    model: str
    gpu_gib: int


KINDS = (
    Kind(40, 96, 768, 8, "a100", 80),
    Kind(10, 128, 1024, 8, "h100", 80),
    Kind(30, 104, 512, 2, "t4", 16),
    Kind(10, 64, 256, 4, "l4", 24),
    Kind(10, 128, 512, 0, "", 0),
)


@dataclass(frozen=True, slots=True)
class Flavour:
    """What one shape of job asks for: `share` and `gpu_gib` of each GPU; `models` empty for any."""

    cores: int
    gib: int
    gpus: int = 0
    share: int = 100
    gpu_gib: int = 16
    models: tuple[str, ...] = ()


BIG = ("a100", "h100")
#: Ten shapes as people ask for them, and how often they come.
FLAVOURS = (
    (Flavour(4, 16, 1, 25, 4), 20),
    (Flavour(8, 32, 1, 50, 8), 15),
    (Flavour(12, 64, 1), 25),
    (Flavour(24, 128, 2), 8),
    (Flavour(48, 256, 4, models=BIG), 4),
    (Flavour(96, 512, 8, gpu_gib=40, models=BIG), 3),
    (Flavour(12, 64, 1, models=("t4", "l4")), 8),
    (Flavour(8, 32, 1, 50, 12, ("l4",)), 4),
    (Flavour(4, 16), 8),
    (Flavour(16, 64), 5),
)


def nodes(count: int) -> tuple[Node, ...]:
    """`count` machines, kinds interleaved."""
    wheel = [kind for turn in range(100) for kind in KINDS if turn * kind.parts // 100 < (turn + 1) * kind.parts // 100]
    return tuple(_node(f"n{i:05d}", wheel[i % len(wheel)]) for i in range(count))


def shapes(count: int, rng: np.random.Generator) -> list[Demand]:
    """The flavours, or as many random shapes as asked."""
    if count <= len(FLAVOURS):
        return [Demand(_needs(flavour), weight) for flavour, weight in FLAVOURS[:count]]
    return [Demand(_needs(_random(rng)), 1) for _ in range(count)]


def snapshot(count: int, mix: tuple[Demand, ...]) -> Snapshot:
    """An empty cluster under a demand mix."""
    return Snapshot(NOW_MS, nodes(count), (), mix=mix)


def request(job: str, demand: Demand) -> Request:
    """One job of the shape."""
    return Request(job, demand.needs, NOW_MS, same="node")


def _random(rng: np.random.Generator) -> Flavour:
    cores, gib = int(rng.integers(1, 33)), int(rng.integers(1, 17)) * 8
    if rng.random() < 0.15:
        return Flavour(cores, gib)
    gpus = int(rng.choice([1, 1, 1, 1, 2, 4]))
    share = int(rng.integers(1, 21)) * 5 if gpus == 1 else 100
    return Flavour(cores, gib, gpus, share, int(rng.integers(1, 13)))


def _needs(asked: Flavour) -> tuple[Need, ...]:
    cpu, memory = {"cpu_millicores": asked.cores * 1000}, {"memory_bytes": asked.gib * GIB}
    needs = [Need("cpu", amounts=cpu), Need("memory", amounts=memory)]
    if asked.gpus:
        rules = (Constraint("model", "in", asked.models),) if asked.models else ()
        card, share = {"gpu_memory_bytes": asked.gpu_gib * GIB}, {"gpu_sm": asked.share * 10_000}
        needs.append(Need("gpu", asked.gpus, rules, card, share))
    return tuple(needs)


def _node(name: str, kind: Kind) -> Node:
    cpu, memory = {"cpu_millicores": kind.cores * 1000}, {"memory_bytes": kind.gib * GIB}
    own = [
        Device(f"{name}/cpu", "cpu", None, None, cpu, cpu),
        Device(f"{name}/memory", "memory", None, None, memory, memory),
    ]
    card = {"gpu_sm": 1_000_000, "gpu_memory_bytes": kind.gpu_gib * GIB}
    own += [Device(f"{name}/gpu{i}", "gpu", None, None, card, card, {"model": kind.model}) for i in range(kind.gpus)]
    return Node(name, tuple(own))
