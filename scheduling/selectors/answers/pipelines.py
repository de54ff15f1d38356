"""Inference pipeline runs. Amounts in base units, times in ms."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from scheduling.selectors.answers.jobs import JobRow


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
