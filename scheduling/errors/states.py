"""The state of things refuses the change now."""

from collections.abc import Mapping
from typing import Any
from uuid import UUID

from alldata.kernel.errors import Conflict, Unavailable


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


class EngineAway(Unavailable):
    """The engine of an attempt is not wired into this process."""

    code = "engine_away"

    def __init__(self, engine: str) -> None:
        super().__init__(engine)
        self.engine = engine

    def __str__(self) -> str:
        return f"no engine named {self.engine} runs here"
