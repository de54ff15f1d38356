"""What is tried in a rehearsal, and what is watched? The values of rehearse.py."""

from dataclasses import dataclass, field

from scheduling.crater.appetite import Appetite
from scheduling.crater.model import Node, Placement, Request


@dataclass(frozen=True, slots=True)
class Trial:
    """One job: what it asks, how long it takes alone and well placed, and what it really does."""

    request: Request
    alone_ms: int
    appetite: Appetite
    noise: float = 1.0  # its own speed in this run, apart from contention


@dataclass(slots=True)
class Watched:
    """What was seen, added up over time: x ms above 1 for loads, devices over their depth."""

    pcie_over_ms: float = 0.0
    memory_over_ms: float = 0.0
    drive_over_ms: float = 0.0
    over_depth_ms: float = 0.0
    over_depth: int = 0  # starts that put a drive over its depth
    placements: list[tuple[Placement, tuple[Node, ...]]] = field(default_factory=list)  # with the cluster before
