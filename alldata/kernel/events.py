"""The shared vocabulary of facts: what apps tell each other, and nothing else.

A fact is a frozen dataclass of JSON-able fields. It is published in the transaction that
made it true (`alldata.outbox.publish`) and read by handlers that must tolerate seeing it
twice or late. Adding a field needs a default; removing one needs two releases.
"""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, ClassVar


@dataclass(frozen=True, slots=True)
class Event:
    """Root of all facts; `name` is the stable identifier on the wire.

    Facts are the history and stay, but for those (`is_history` False) that only say what other rows hold for good.
    """

    name: ClassVar[str] = ""
    is_history: ClassVar[bool] = True

    def as_json(self) -> dict[str, Any]:
        """The fields as plain JSON values."""
        return {field.name: getattr(self, field.name) for field in fields(self)}


@dataclass(frozen=True, slots=True)
class JobSubmitted(Event):
    """A job joined the queue."""

    name = "job.submitted"
    job_id: str
    project_id: str


@dataclass(frozen=True, slots=True)
class JobMoved(Event):
    """A job changed state (`to` is a scheduling.lifecycle.JobState)."""

    name = "job.moved"
    job_id: str
    project_id: str
    to: str
    at_ms: int
    reason: str = ""


@dataclass(frozen=True, slots=True)
class AttemptMoved(Event):
    """An attempt changed state (`to` is a scheduling.lifecycle.AttemptState)."""

    name = "attempt.moved"
    attempt_id: str
    job_id: str
    project_id: str
    to: str
    at_ms: int


@dataclass(frozen=True, slots=True)
class CapacityChanged(Event):
    """Supply changed: a node registered, a device was lost, or units were released."""

    name = "capacity.changed"
    node: str
    at_ms: int


@dataclass(frozen=True, slots=True)
class ProfilePublished(Event):
    """A profile version became immutable and usable."""

    name = "profile.published"
    profile: str
    version: str
    organisation_id: str


@dataclass(frozen=True, slots=True)
class UsageRecorded(Event):
    """A usage frame was stored for the first time."""

    name = "usage.recorded"
    is_history = False
    agent: str
    start_ms: int
    end_ms: int
    attempts: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class PipelineMoved(Event):
    """A pipeline run reached another step or its end."""

    name = "pipeline.moved"
    pipeline_id: str
    project_id: str
    step: str
    at_ms: int


@dataclass(frozen=True, slots=True)
class KnowledgeChanged(Event):
    """Facts or overrides were added to the hardware knowledge base, or withdrawn: derive again."""

    name = "hardware.knowledge_changed"
    version: str
    at_ms: int


KINDS: Mapping[str, type[Event]] = {
    kind.name: kind
    for kind in (
        JobSubmitted,
        JobMoved,
        AttemptMoved,
        CapacityChanged,
        ProfilePublished,
        UsageRecorded,
        PipelineMoved,
        KnowledgeChanged,
    )
}


def from_json(name: str, fields: Mapping[str, Any]) -> Event:
    """The fact that was written as (name, fields); lists become tuples again."""
    plain = {key: tuple(v) if isinstance(v, list) else v for key, v in fields.items()}
    return KINDS[name](**plain)
