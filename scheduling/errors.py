"""Refusals of scheduling: what was wrong, where, and what would mend it."""

from collections.abc import Mapping
from typing import Any
from uuid import UUID

from alldata.kernel.errors import Conflict, Invalid, NotFound, TooLarge, Unavailable


class JobNotFound(NotFound):
    """No such job for this viewer."""

    code = "job_not_found"

    def __init__(self, reference: str) -> None:
        super().__init__(reference)
        self.reference = reference

    def __str__(self) -> str:
        return f"there is no job {self.reference} that you can see"


class DeviceNotFound(NotFound):
    """No such device for this viewer."""

    code = "device_not_found"

    def __init__(self, uuid: str) -> None:
        super().__init__(uuid)
        self.uuid = uuid

    def __str__(self) -> str:
        return f"there is no device {self.uuid} that you can see"


class PipelineNotFound(NotFound):
    """No such pipeline run for this viewer."""

    code = "pipeline_not_found"

    def __init__(self, reference: str) -> None:
        super().__init__(reference)
        self.reference = reference

    def __str__(self) -> str:
        return f"there is no pipeline run {self.reference} that you can see"


class DecisionNotFound(NotFound):
    """The job has no such decision."""

    code = "decision_not_found"

    def __init__(self, job: str, number: int) -> None:
        super().__init__(job, number)
        self.job, self.number = job, number

    def __str__(self) -> str:
        return f"{self.job} has no decision {self.number}; 0 is the latest"


class BadField(Invalid):
    """One field of a submission can never be accepted as written."""

    code = "bad_field"

    def __init__(self, field: str, found: str, expected: str) -> None:
        super().__init__(field, found, expected)
        self.field, self.found, self.expected = field, found, expected

    def __str__(self) -> str:
        return f"{self.field}: {self.found}; {self.expected}"


class UnknownProfile(BadField):
    """The profile or its version does not exist or is not published."""

    code = "unknown_profile"


class BadDemand(Invalid):
    """A demand vector that cannot be read; each error has path, what was expected and a suggestion."""

    code = "bad_demand"
    field = "demand"

    def __init__(self, problems: tuple[Mapping[str, object], ...]) -> None:
        super().__init__(problems)
        self.problems = problems

    def __str__(self) -> str:
        first = self.problems[0] if self.problems else {}
        hint = first.get("suggestion") or first.get("expected")
        return f"demand.{first.get('path')}: {first.get('message')}" + (f"; {hint}" if hint else "")

    @property
    def facts(self) -> Mapping[str, object]:
        return {"errors": list(self.problems)}


class DeadlinePast(BadField):
    """The deadline lies before the submission."""

    code = "deadline_past"


class BadBudget(BadField):
    """The budget is negative, or in another currency than the project's."""

    code = "bad_budget"


class EntryTooLarge(TooLarge):
    """Scripts are carried inline up to a stated size."""

    code = "entry_too_large"

    def __init__(self, size: int, limit: int) -> None:
        super().__init__(size, limit)
        self.size, self.limit = size, limit

    def __str__(self) -> str:
        return f"entry.files: {self.size} bytes; at most {self.limit} bytes can be sent inline"


class RequestReused(Conflict):
    """One request id arrived with two different job descriptions."""

    code = "request_reused"

    def __init__(self, request_id: str) -> None:
        super().__init__(request_id)
        self.request_id = request_id

    def __str__(self) -> str:
        return f"request {self.request_id} already created a different job; use a new Idempotency-Key"


class IllegalMove(Conflict):
    """The row no longer allows the move (another mover won, or the end was reached)."""

    code = "illegal_move"

    def __init__(self, row_id: UUID, to: str) -> None:
        super().__init__(row_id, to)
        self.row_id, self.to = row_id, to

    def __str__(self) -> str:
        return f"{self.row_id} can no longer become {self.to}"


class JobIsOver(Conflict):
    """The job has ended and cannot be stopped."""

    code = "job_is_over"

    def __init__(self, reference: str, state: str) -> None:
        super().__init__(reference, state)
        self.reference, self.state = reference, state

    def __str__(self) -> str:
        return f"{self.reference} has already ended ({self.state})"


class DeadlineUnmeetable(Invalid):
    """A hard deadline that the forecast says will be missed."""

    code = "deadline_unmeetable"
    field = "sla_deadline"

    def __init__(self, late_ms: int | None, on_time: float, source: str) -> None:
        super().__init__(late_ms, on_time, source)
        self.late_ms, self.on_time, self.source = late_ms, on_time, source

    def __str__(self) -> str:
        late = (
            "it can never start here" if self.late_ms is None else f"it would end about {self.late_ms // 1000} s late"
        )
        return f"the hard deadline cannot be met: {late}; {self.fix}"

    @property
    def fix(self) -> str:
        """What would mend it."""
        soft = "make the deadline soft"
        return f"give it a later deadline, or {soft}" if self.late_ms is not None else f"ask for what fits, or {soft}"

    @property
    def facts(self) -> Mapping[str, object]:
        return {"late_ms": self.late_ms, "on_time": self.on_time, "forecast_source": self.source, "fix": self.fix}


class ReservationNotFound(NotFound):
    """No such reservation for this viewer."""

    code = "reservation_not_found"
    field = "reservation"

    def __init__(self, reference: str) -> None:
        super().__init__(reference)
        self.reference = reference

    def __str__(self) -> str:
        return f"there is no reservation {self.reference} that you can see"


class ReservationOver(Conflict):
    """The place is no longer held: used, released or expired."""

    code = "reservation_over"
    field = "reservation"

    def __init__(self, reference: str, state: str) -> None:
        super().__init__(reference, state)
        self.reference, self.state = reference, state

    def __str__(self) -> str:
        return f"reservation {self.reference} is {self.state}; reserve again"

    @property
    def facts(self) -> Mapping[str, object]:
        return {"state": self.state}


class NoPlace(Conflict):
    """Nothing can be reserved now; `answer` is the whole explanation (a PreCheck), None when others were faster."""

    code = "no_place"

    def __init__(self, reason: str, answer: Any) -> None:
        super().__init__(reason, answer)
        self.reason, self.answer = reason, answer

    def __str__(self) -> str:
        return f"no place is free for this now: {self.reason}"


class BadFilter(Invalid):
    """A list filter that is not `key:value` with a known key."""

    code = "bad_filter"
    field = "filter"

    def __init__(self, text: str, known: str) -> None:
        super().__init__(text, known)
        self.text, self.known = text, known

    def __str__(self) -> str:
        return f"filter {self.text!r} is not key:value with a key of {self.known}"


class EngineAway(Unavailable):
    """The engine of an attempt is not wired into this process."""

    code = "engine_away"

    def __init__(self, engine: str) -> None:
        super().__init__(engine)
        self.engine = engine

    def __str__(self) -> str:
        return f"no engine named {self.engine} runs here"
