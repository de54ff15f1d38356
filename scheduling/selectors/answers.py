"""The shapes that scheduling's selectors answer with. Amounts in base units, times in ms."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID


@dataclass(frozen=True, slots=True)
class JobRow:
    """One line of a list of jobs."""

    id: UUID
    number: int
    name: str
    kind: str
    mode: str
    profile: str  # name@version
    project_id: UUID
    project: str
    state: str
    reason: str
    reason_facts: Mapping[str, Any]
    stop_requested: str
    simulated: bool
    submitted_ms: int
    started_ms: int | None
    ended_ms: int | None
    deadline_ms: int | None
    deadline_policy: str
    deadline_met: bool | None
    cap_nano: int | None
    currency: str
    promise: Mapping[str, Any]
    rev: int

    @property
    def reference(self) -> str:
        return f"J-{self.number}"

    @property
    def is_over(self) -> bool:
        return self.ended_ms is not None


@dataclass(frozen=True, slots=True)
class AttemptView:
    """One run of a job; `placement` is crater's Placement as plain JSON values."""

    id: UUID
    ordinal: int
    engine: str
    node: str
    state: str
    placement: Mapping[str, Any]
    created_ms: int
    started_ms: int | None
    ended_ms: int | None
    exit_code: int | None
    signal: int | None
    reason: str
    detail: str
    limits: Mapping[str, str]
    progress: Mapping[str, Any]
    endpoint: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class JobEvent:
    """One fact in a job's history: code plus data; words are made at the door."""

    at_ms: int
    name: str  # event name or decision outcome
    facts: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class JobView:
    """One job with everything its page shows except usage and money."""

    row: JobRow
    attempts: tuple[AttemptView, ...]
    decision: Mapping[str, Any] | None  # the latest Decision.answer + {"outcome", "at_ms"}
    events: tuple[JobEvent, ...]
    artifacts: tuple["ArtifactView", ...]
    entry: Mapping[str, Any]
    demand: Mapping[str, Any]
    notices: tuple[str, ...]
    follow_up: Mapping[str, Any]
    pipeline_id: UUID | None  # run that this job triggered or belongs to
    queue_position: int | None  # 1 = next
    queue_length: int | None


@dataclass(frozen=True, slots=True)
class ArtifactView:
    """A file a job left."""

    name: str
    sha256: str
    size: int
    created_ms: int


@dataclass(frozen=True, slots=True)
class PipelineView:
    """One inference pipeline run; jobs are None until their step is reached."""

    id: UUID
    number: int
    project_id: UUID
    trigger: JobRow
    serve: JobRow | None
    test: JobRow | None
    step: str  # package, serve, test, done
    plan: Mapping[str, Any]  # rate_qps, duration_s, thresholds
    ready_ms: int | None
    load: Mapping[str, Any]  # LoadResult as JSON, {} until measured
    verdict: str  # "", pass, fail, inconclusive
    reasons: tuple[Mapping[str, Any], ...]
    created_ms: int
    changed_ms: int
    rev: int


@dataclass(frozen=True, slots=True)
class DimensionView:
    """One capability of one device: what it has, what is promised, and how well that is known."""

    name: str
    capacity: int | None
    reserved: int
    source: str
    quality: str


@dataclass(frozen=True, slots=True)
class DeviceView:
    """One device as pages and the API show it."""

    uuid: str
    node: str
    type: str
    name: str
    numa_node: int | None
    parent: str | None
    vendor: str
    model: str
    attributes: Mapping[str, Any]
    healthy: bool
    degraded_reason: str
    simulated: bool
    dimensions: tuple[DimensionView, ...]
    cpus: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class NodeView:
    """One machine; `seen_ms` is its agent's last sign of life."""

    name: str
    engine: str
    agent_version: str
    registered_ms: int
    seen_ms: int
    simulated: bool
    draining: bool
    facts: Mapping[str, Any]
    devices: tuple[DeviceView, ...]


@dataclass(frozen=True, slots=True)
class AllocationSpan:
    """What an attempt held: an open end (None) means it still does. Grace time is included."""

    attempt_id: UUID
    job_id: UUID
    project_id: UUID
    device: str
    device_type: str
    node: str
    dimension: str
    amount: int
    start_ms: int
    end_ms: int | None


@dataclass(frozen=True, slots=True)
class Supply:
    """One additive capacity of one device, in service since `since_ms` (until None = now)."""

    device: str
    device_type: str
    model: str
    node: str
    dimension: str
    capacity: int
    since_ms: int
    until_ms: int | None = None
    simulated: bool = field(default=False)
