"""Who decides in a simulation, and what is said and heard? The values and the protocol of simulate.py.

A Director is asked whenever something arrived, ended or a time it named has come; it answers with
the new speeds of tasks (0 waits). Times in ms; work in ms at speed 1.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from alldata.kernel.errors import Invalid

NEVER_MS = 1 << 62


@dataclass(frozen=True, slots=True)
class Task:
    """One job as it arrives."""

    name: str
    arrive_ms: int
    work: float  # ms at speed 1


@dataclass(frozen=True, slots=True)
class Change:
    """A task's new speed; `delay_ms` passes first without progress (start, restore, move)."""

    speed: float
    delay_ms: int = 0
    lost: float = 0.0  # work undone by a stop since the last saved state


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of a task; times in ms, `ends_ms` None when it never ended."""

    name: str
    arrive_ms: int
    start_ms: int | None
    ends_ms: int | None
    moves: int = 0


class BadTask(Invalid):
    """Work that is negative, infinite or not a number."""

    code = "bad_task"


class Director(Protocol):
    """Who decides. Tasks that are not named in an answer keep their speed."""

    def step(
        self, now_ms: int, arrived: Sequence[Task], ended: Sequence[str], world: "World"
    ) -> Mapping[str, Change]: ...

    def wake_ms(self, now_ms: int) -> int:
        """The next time to ask without an event; NEVER_MS when there is none."""
        ...


@dataclass(slots=True)
class Live:
    task: Task
    left: float
    speed: float = 0.0
    since_ms: int = 0
    start_ms: int | None = None
    moves: int = 0
    version: int = 0


@dataclass(slots=True)
class World:
    """The tasks under way. Directors may read it, and change nothing."""

    now_ms: int = 0
    live: dict[str, Live] = field(default_factory=dict)
    done: list[Outcome] = field(default_factory=list)

    def left(self, name: str) -> float:
        """Work left of a task at the present instant."""
        mine = self.live[name]
        return max(0.0, mine.left - mine.speed * max(0, self.now_ms - mine.since_ms))
