"""Jobs, attempts, their files and their history. Amounts in base units, times in ms."""

from collections.abc import Mapping
from dataclasses import dataclass
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
    member: int = 0
    members: int = 1
    component: str = ""  # what the member of a gang is called

    @property
    def reason_facts(self) -> Mapping[str, Any]:
        """What its reason speaks of."""
        return {"exit_code": self.exit_code, "signal": self.signal, "missing": self.detail}


@dataclass(frozen=True, slots=True)
class JobEvent:
    """One fact in a job's history: code plus data; words are made at the door."""

    at_ms: int
    name: str  # event name or decision outcome
    facts: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class ArtifactView:
    """A file a job left."""

    name: str
    sha256: str
    size: int
    created_ms: int


@dataclass(frozen=True, slots=True)
class JobView:
    """One job with everything its page shows except usage and money."""

    row: JobRow
    attempts: tuple[AttemptView, ...]
    decision: Mapping[str, Any] | None  # the latest Decision.answer + {"outcome", "at_ms"}
    events: tuple[JobEvent, ...]
    artifacts: tuple[ArtifactView, ...]
    entry: Mapping[str, Any]
    demand: Mapping[str, Any]
    notices: tuple[str, ...]
    follow_up: Mapping[str, Any]
    pipeline_id: UUID | None  # run that this job triggered or belongs to
    queue_position: int | None  # 1 = next
    queue_length: int | None

    @property
    def latest(self) -> tuple[AttemptView, ...]:
        """The latest try: one attempt, or one for each member of a gang."""
        last = self.attempts[-1].ordinal if self.attempts else 0
        return tuple(attempt for attempt in self.attempts if attempt.ordinal == last)
