"""What the planner is told and what it answers: frozen values, nothing else.

A Snapshot is the cluster and the queue at one instant; a Plan is every decision made on
it. `scheduling/snapshot.py` builds the former from rows, `services/placement.py` commits
the latter. Amounts are integers in the base units of `profiles.dimensions`; times are ms.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from scheduling.crater.reasons import Attribute as Attribute
from scheduling.crater.reasons import Relaxation as Relaxation
from scheduling.crater.reasons import Shortfall as Shortfall
from scheduling.crater.reasons import Term as Term

Amounts = Mapping[str, int]  # additive dimension -> integer amount


def member_key(job: str, member: int) -> str:
    """The name of one member of a gang among all that runs."""
    return f"{job}#{member}"


class Policy(StrEnum):
    """Whose turn is it (order.py) and what is worth more (scores.py)."""

    FIFO = "fifo"
    DEADLINE_AWARE = "deadline_aware"
    FAIR_SHARE = "fair_share"
    COST_MIN = "cost_min"


@dataclass(frozen=True, slots=True)
class Device:
    """One device (or a NUMA node's cores or memory pool) and what is left of it."""

    uuid: str
    type: str
    numa_node: int | None
    parent: str | None
    capacity: Amounts
    free: Amounts
    attributes: Mapping[str, Attribute] = field(default_factory=dict)
    usable: bool = True  # healthy, not overcommitted, not retired
    unusable_reason: str | None = None
    cpus: tuple[int, ...] = ()  # for cpu devices: the core numbers that are free
    pins: bool = False  # its cores have numbers, though none may be free now


@dataclass(frozen=True, slots=True)
class Node:
    """One machine."""

    name: str
    devices: tuple[Device, ...]
    usable: bool = True
    unusable_reason: str | None = None
    simulated: bool = False


@dataclass(frozen=True, slots=True)
class Constraint:
    """A hard rule on one attribute: op is one of eq, in, min, max, regex, version_min."""

    attribute: str
    op: str
    value: Attribute | tuple[Attribute, ...]


@dataclass(frozen=True, slots=True)
class Need:
    """`count` devices of one type; each must satisfy the rules and give the amounts.

    `amounts` are absolute, `shares` are fractions of the device's own capacity in parts
    per million (rounded up when turned into amounts). `component` names the part of the job it is for.
    """

    type: str
    count: int = 1
    constraints: tuple[Constraint, ...] = ()
    amounts: Amounts = field(default_factory=dict)
    shares: Amounts = field(default_factory=dict)
    component: str = ""


@dataclass(frozen=True, slots=True)
class Near:
    """How near to each other the devices of one component must be, where that differs from the job's own wish."""

    component: str
    same: str = "numa"
    allow_cross_numa: bool = False


@dataclass(frozen=True, slots=True)
class Runtime:
    """How long it will take: quantiles in ms and what they rest on ("history", "declared", "roofline")."""

    p50_ms: int
    p90_ms: int
    source: str
    runs: int = 0


@dataclass(frozen=True, slots=True)
class Request:
    """One job that wants to start. `same` is numa, pcie_root, nvlink_island or node.

    `same` holds for all needs together but those of the components in `near`: each of these has its own
    subtree. `is_spread`: no two needs share a device. `is_apart`: each component on a node of its own, all of
    them or none: a gang (gang.py). `avoid_nodes` is a wish: such a node is used only when no other fits.
    """

    job: str
    needs: tuple[Need, ...]
    submitted_ms: int
    team: str = ""
    policy: Policy = Policy.DEADLINE_AWARE
    priority: int = 0
    same: str = "numa"
    allow_cross_numa: bool = False
    deadline_ms: int | None = None
    cap_nano: int | None = None
    runtime: Runtime | None = None
    avoid_nodes: tuple[str, ...] = ()
    near: tuple[Near, ...] = ()
    is_spread: bool = False
    owed: bool = False  # others were stopped to make room for it: it comes first
    grace_ms: int = 0  # how long its room stays taken after its end
    is_apart: bool = False


@dataclass(frozen=True, slots=True)
class Price:
    """What one hour of one whole device's capability costs (nano-currency)."""

    device: str
    dimension: str
    rate_nano_per_hour: int


@dataclass(frozen=True, slots=True)
class Demand:
    """One shape of the demand mix: what such jobs need and how many of them there are.

    `micro` is the shadow price of one such job in millionths of a GPU (market.py); None: its size.
    """

    needs: tuple[Need, ...]
    weight: int
    micro: int | None = None


@dataclass(frozen=True, slots=True)
class Pick:
    """One chosen device and what is taken from it."""

    device: str
    type: str
    amounts: Amounts
    cpus: tuple[int, ...] = ()
    numa_node: int | None = None


@dataclass(frozen=True, slots=True)
class Running:
    """One started job. `saved_ms` is the instant up to which its work survives a stop.

    `leaving`: it was told to stop, or has ended and only gives its room back.
    """

    request: Request
    node: str
    picks: tuple[Pick, ...]
    started_ms: int
    ends_ms: int
    saved_ms: int
    preemptible: bool = True
    preempted: int = 0  # how often this job has been stopped for others already
    leaving: bool = False
    member: int | None = None  # of a gang: each of its members is listed, and one that stops stops all

    @property
    def job(self) -> str:
        return self.request.job

    @property
    def key(self) -> str:
        """The job's name, or that of one member of it."""
        return self.job if self.member is None else member_key(self.job, self.member)


@dataclass(frozen=True, slots=True)
class Snapshot:
    """Everything a decision may depend on. `mix` is the observed demand, priced out of band.

    `weights` says how much a team may hold beside others (1 when absent).
    """

    now_ms: int
    nodes: tuple[Node, ...]
    queue: tuple[Request, ...]
    prices: tuple[Price, ...] = ()
    currency: str = "CNY"
    mix: tuple[Demand, ...] = ()
    running: tuple[Running, ...] = ()
    weights: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Ranking:
    """Up to 20 nodes, best first, and the figure they are ranked by."""

    nodes: tuple[str, ...] = ()
    micro: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Placement:
    """Where a job goes and why there. Of a gang: the first node, all picks, and the `members` one by one."""

    job: str
    node: str
    picks: tuple[Pick, ...]
    score: tuple[Term, ...]
    predicted_ms: int | None
    predicted_p90_ms: int | None
    predicted_nano: int | None
    on_time: float | None  # probability of meeting the deadline, None without one or without a forecast
    candidates: int = 1  # nodes where it fitted
    best: Ranking = Ranking()  # the best of them, the chosen one first; score in millionths of a GPU
    member: int = 0
    component: str = ""  # what the member of a gang is called
    members: tuple["Placement", ...] = ()

    @property
    def parts(self) -> tuple["Placement", ...]:
        """What goes to one node each."""
        return self.members or (self,)

    @property
    def nodes(self) -> tuple[str, ...]:
        return tuple(part.node for part in self.parts)


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why a job cannot start now. `possible` is False when even an empty cluster would not fit it."""

    job: str
    possible: bool
    counts: Mapping[str, int]  # rule -> how many devices it turned down (nodes for alignment and cap)
    nearest: Shortfall | None
    shortfalls: tuple[Shortfall, ...] = ()  # the 20 nearest
    relaxations: tuple[Relaxation, ...] = ()
    closest: Ranking = Ranking()  # the nodes that lack least, in millionths of a device
    member: str = ""  # of a gang: the member that stands in the way


@dataclass(frozen=True, slots=True)
class Head:
    """The first job that has to wait: when it starts at the latest, and who must stop for it.

    `losses` says what each stopped job throws away (preempt.py), in the order of `stops`.
    """

    job: str
    node: str
    start_ms: int
    stops: tuple[str, ...] = ()
    losses: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Plan:
    """All decisions on one snapshot, in the order they were made."""

    placements: tuple[Placement, ...] = ()
    refusals: tuple[Refusal, ...] = ()
    head: Head | None = None
