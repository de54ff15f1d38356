"""Places that are held before there is work for them. Times in ms."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from uuid import UUID


@dataclass(frozen=True, slots=True)
class HoldView:
    """A place that is or was held. `placement` is crater's Placement as plain JSON values."""

    id: UUID
    job: str  # J-n: what the place is charged to, and the job that uses it
    project_id: UUID
    state: str  # held, used, released, expired
    expires_ms: int
    created_ms: int
    used_ms: int | None
    placement: Mapping[str, Any]
