"""What an engine must be able to do: launch, observe, stop, each harmless when repeated.

An executor knows no rows, no settings and no transactions: it gets frozen specs, touches
the outside world and reports what it sees. `services/execution.py` is its only driver.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Protocol

from alldata.kernel.errors import Conflict

AttemptKey = str


class LaunchRefused(Conflict):
    """This engine cannot start this spec, now or ever: another node, an artifact that is gone."""

    code = "launch_refused"

    def __init__(self, key: AttemptKey, why: str) -> None:
        super().__init__(key, why)
        self.key = key
        self.why = why

    def __str__(self) -> str:
        return f"attempt {self.key} cannot be launched: {self.why}"


class Phase(StrEnum):
    """What the engine sees of one attempt."""

    ABSENT = "absent"  # never heard of, or cleaned away
    STARTING = "starting"
    RUNNING = "running"
    ENDED = "ended"  # has an exit status
    LOST = "lost"  # was there, vanished without an exit status


@dataclass(frozen=True, slots=True)
class FileSource:
    """One file put into the working directory before the start: text, or a stored artifact's path."""

    name: str
    text: str | None = None
    path: str | None = None


@dataclass(frozen=True, slots=True)
class LaunchSpec:
    """Everything an engine needs to run one attempt.

    `command` may contain `{port:NAME}` for each name in `ports` and `{work}` for the working
    directory; the engine fills them in. `outputs` are files below the working directory that
    the attempt is expected to leave. Times are ms, sizes bytes.
    """

    command: tuple[str, ...]
    node: str
    env: Mapping[str, str] = field(default_factory=dict)
    files: tuple[FileSource, ...] = ()
    ports: tuple[str, ...] = ()
    outputs: tuple[str, ...] = ()
    cpus: tuple[int, ...] = ()
    numa_nodes: tuple[int, ...] = ()
    gpu_uuids: tuple[str, ...] = ()
    memory_limit_bytes: int | None = None
    log_limit_bytes: int = 64 * 1024 * 1024
    timeout_ms: int | None = None


@dataclass(frozen=True, slots=True)
class Progress:
    """What the job says of itself (docs: progress contract). Missing stays None, never 0."""

    step: int | None = None
    steps: int | None = None
    epoch: int | None = None
    units: int | None = None
    unit: str | None = None
    saved_ms: int | None = None  # the instant up to which its work survives a stop, by its own account


@dataclass(frozen=True, slots=True)
class Observation:
    """One look at one attempt."""

    phase: Phase
    started_ms: int | None = None
    ended_ms: int | None = None
    exit_code: int | None = None
    signal: int | None = None
    #: Why it ended when the engine knows better than the exit status:
    #: "timeout", "out_of_memory", "stopped", "spawn_failed", "engine_shutdown".
    reason: str | None = None
    detail: str | None = None
    endpoint: Mapping[str, int] = field(default_factory=dict)  # port name -> port
    limits: Mapping[str, str] = field(default_factory=dict)  # what really confines it
    progress: Progress | None = None
    simulated: bool = False


@dataclass(frozen=True, slots=True)
class LogChunk:
    """A piece of an attempt's output: bytes [offset, next_offset) of the whole stream.

    Lines dropped by the log limit leave a gap: `offset` is then larger than asked for.
    """

    offset: int
    next_offset: int
    text: str
    total: int
    dropped: int = 0


class Executor(Protocol):
    """A place where attempts run. Calling any method twice with one key is harmless."""

    name: str
    simulated: bool

    def launch(self, key: AttemptKey, spec: LaunchSpec) -> None:
        """Start the attempt unless this key was started before. Errors: LaunchRefused."""

    def observe(self, keys: Collection[AttemptKey]) -> Mapping[AttemptKey, Observation]:
        """Look at each key once; a key the engine does not know is Phase.ABSENT."""

    def stop(self, key: AttemptKey, *, grace_ms: int) -> None:
        """Ask it to end, and kill it after `grace_ms`; returns at once. A later call may shorten the grace."""

    def read_log(self, key: AttemptKey, *, after: int, limit: int) -> LogChunk:
        """At most `limit` bytes of output from byte `after`; negative `after` counts from the end."""

    def output_path(self, key: AttemptKey, name: str) -> str | None:
        """Where a finished attempt left the file `name`, or None when it did not."""

    def forget(self, key: AttemptKey) -> None:
        """Remove every trace of an ended attempt (directory, cgroup, endpoint); a live one is left alone."""
