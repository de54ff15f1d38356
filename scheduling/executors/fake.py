"""An engine that runs nothing: every attempt lives as long as its script says.

Deterministic, by the clock it is given; for tests and for simulated nodes, and always
labelled simulated. State lives in this object alone.
"""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field

from scheduling.executors.base import AttemptKey, LaunchRefused, LaunchSpec, LogChunk, Observation, Phase, Progress

FIRST_PORT = 40_000


@dataclass(frozen=True, slots=True)
class Script:
    """What one attempt will do. Without `duration_ms` it runs until stopped or timed out."""

    duration_ms: int | None = 1_000
    start_delay_ms: int = 0
    exit_code: int = 0
    signal: int | None = None
    reason: str | None = None
    log: str = ""
    steps: int | None = None
    outputs: Mapping[str, str] = field(default_factory=dict)  # name -> path of a real file
    vanishes: bool = False  # ends LOST, as after a power cut
    refusal: str | None = None  # launch raises LaunchRefused


@dataclass(frozen=True, slots=True)
class _Run:
    spec: LaunchSpec
    script: Script
    launched_ms: int
    first_port: int
    stop_ms: int | None = None

    @property
    def started_ms(self) -> int:
        return self.launched_ms + self.script.start_delay_ms

    def end(self) -> tuple[int, str | None] | None:
        """When it ends and why, or None while nothing will end it."""
        ways: list[tuple[int, str | None]] = []
        if self.script.duration_ms is not None:
            ways.append((self.started_ms + self.script.duration_ms, self.script.reason))
        if self.spec.timeout_ms is not None:
            ways.append((self.started_ms + self.spec.timeout_ms, "timeout"))
        if self.stop_ms is not None:
            ways.append((max(self.started_ms, self.stop_ms), "stopped"))
        return min(ways, key=lambda way: way[0], default=None)


class FakeExecutor:
    """Plays scripts. `script_for` answers for every key; without it all run for one second."""

    simulated = True

    def __init__(
        self,
        *,
        now_ms: Callable[[], int],
        script_for: Callable[[AttemptKey, LaunchSpec], Script] | None = None,
        name: str = "fake",
    ) -> None:
        self.name = name
        self._now_ms = now_ms
        self._script_for = script_for or (lambda _key, _spec: Script())
        self._runs: dict[AttemptKey, _Run] = {}
        self._next_port = FIRST_PORT

    def launch(self, key: AttemptKey, spec: LaunchSpec) -> None:
        """Start the attempt unless its key was started before. Errors: LaunchRefused."""
        if key in self._runs:
            return
        script = self._script_for(key, spec)
        if script.refusal is not None:
            raise LaunchRefused(key, script.refusal)
        self._runs[key] = _Run(spec, script, self._now_ms(), self._next_port)
        self._next_port += len(spec.ports)

    def observe(self, keys: Collection[AttemptKey]) -> Mapping[AttemptKey, Observation]:
        """Look at each key once; a key the engine does not know is Phase.ABSENT."""
        now_ms = self._now_ms()
        return {key: self._look(key, now_ms) for key in keys}

    def _look(self, key: AttemptKey, now_ms: int) -> Observation:
        run = self._runs.get(key)
        if run is None:
            return Observation(Phase.ABSENT, simulated=True)
        if now_ms < run.started_ms:
            return Observation(Phase.STARTING, simulated=True)
        end = run.end()
        progress = _progress(run, now_ms)
        ports = {name: run.first_port + place for place, name in enumerate(run.spec.ports)}
        if end is None or now_ms < end[0]:
            return Observation(
                Phase.RUNNING, run.started_ms, endpoint=ports, limits=LIMITS, progress=progress, simulated=True
            )
        ended_ms, reason = end
        own_end = reason not in ("timeout", "stopped")
        number = run.script.signal if own_end else 15
        return Observation(
            phase=Phase.LOST if run.script.vanishes and own_end else Phase.ENDED,
            started_ms=run.started_ms,
            ended_ms=ended_ms,
            exit_code=None if number is not None or run.script.vanishes else run.script.exit_code,
            signal=None if run.script.vanishes else number,
            reason=reason,
            endpoint=ports,
            limits=LIMITS,
            progress=progress,
            simulated=True,
        )

    def stop(self, key: AttemptKey, *, grace_ms: int) -> None:
        """Ends at once: a script needs no grace."""
        run, now_ms = self._runs.get(key), self._now_ms()
        if run is not None and run.stop_ms is None:
            self._runs[key] = _Run(run.spec, run.script, run.launched_ms, run.first_port, now_ms)

    def read_log(self, key: AttemptKey, *, after: int, limit: int) -> LogChunk:
        """At most `limit` bytes of output from byte `after`; negative `after` counts from the end."""
        run = self._runs.get(key)
        stream = run.script.log.encode() if run is not None and self._now_ms() >= run.started_ms else b""
        start = max(0, len(stream) + after) if after < 0 else min(after, len(stream))
        piece = stream[start : start + limit]
        decoded = piece.decode("utf-8", errors="replace")
        return LogChunk(offset=start, next_offset=start + len(piece), text=decoded, total=len(stream))

    def output_path(self, key: AttemptKey, name: str) -> str | None:
        """Where a finished attempt left the file `name`, or None when it did not."""
        run = self._runs.get(key)
        if run is None or self._look(key, self._now_ms()).phase is not Phase.ENDED:
            return None
        return run.script.outputs.get(name)

    def forget(self, key: AttemptKey) -> None:
        """Remove every trace of an ended attempt; a live one is left alone."""
        if self._look(key, self._now_ms()).phase in (Phase.ENDED, Phase.LOST):
            del self._runs[key]


LIMITS = {"cpu": "simulated", "memory": "simulated", "numa": "simulated"}


def _progress(run: _Run, now_ms: int) -> Progress | None:
    """Steps done grow evenly with time."""
    steps, duration_ms = run.script.steps, run.script.duration_ms
    if not steps or not duration_ms:
        return None
    done = min(steps, steps * (now_ms - run.started_ms) // duration_ms)
    return Progress(step=done, steps=steps, units=done, unit="steps")
