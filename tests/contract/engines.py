"""Which engines does the contract hold for, and how is each told what an attempt shall do?

A `Play` says it in words both understand: for the local engine it becomes a small program, for
the fake one a script. `Engine.until` waits on the real clock or moves the fake one.
"""

import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Protocol

from scheduling.executors.base import Executor, LaunchSpec, Observation, Phase
from scheduling.executors.fake import FakeExecutor, Script
from scheduling.executors.local import LocalExecutor

NODE = "n1"
PATIENCE_S = 20.0
LIVE = (Phase.STARTING, Phase.RUNNING)


@dataclass(frozen=True, slots=True)
class Play:
    """What an attempt does: says something, leaves a file, runs for a while, exits."""

    runs_ms: int | None = 50  # None: for ever
    says: str = ""
    leaves: str | None = None
    exits: int = 0

    def program(self) -> str:
        lines = ["import sys, time", f"sys.stdout.write({self.says!r}); sys.stdout.flush()"]
        if self.leaves:
            lines.append(f"open({self.leaves!r}, 'w').write('left')")
        lines.append("time.sleep(3600)" if self.runs_ms is None else f"time.sleep({self.runs_ms / 1000})")
        return "\n".join([*lines, f"sys.exit({self.exits})"])


class Engine(Protocol):
    """One engine under test."""

    @property
    def executor(self) -> Executor:
        """The engine itself."""

    def launch(self, key: str, play: Play, spec: LaunchSpec = ...) -> None:
        """Launch an attempt that does what the play says."""

    def until(self, key: str, condition: Callable[[Observation], bool]) -> Observation:
        """Let time pass until the attempt looks like that."""


BLANK = LaunchSpec(command=(), node=NODE)


@dataclass
class Local:
    """Real processes."""

    runs: Path
    executor: LocalExecutor = field(init=False)

    def __post_init__(self) -> None:
        self.executor = LocalExecutor(runs_dir=self.runs, node=NODE, python=sys.executable)

    def launch(self, key: str, play: Play, spec: LaunchSpec = BLANK) -> None:
        command = ("python", "-I", "-S", "-c", play.program())
        self.executor.launch(key, replace(spec, command=spec.command or command))

    def run(self, key: str, program: str, spec: LaunchSpec = BLANK) -> Observation:
        """A program of the test's own, to its end."""
        self.executor.launch(key, replace(spec, command=("python", "-I", "-S", "-c", program)))
        return self.ended(key)

    def ended(self, key: str) -> Observation:
        return self.until(key, lambda seen: seen.phase not in LIVE)

    def until(self, key: str, condition: Callable[[Observation], bool]) -> Observation:
        give_up = time.monotonic() + PATIENCE_S
        while time.monotonic() < give_up:
            seen = self.executor.observe([key])[key]
            if condition(seen):
                return seen
            time.sleep(0.01)
        raise AssertionError(f"still {seen}")


@dataclass
class Fake:
    """Scripts and a clock of our own."""

    files: Path
    now_ms: int = 1_000_000
    scripts: dict[str, Script] = field(default_factory=dict)
    executor: FakeExecutor = field(init=False)

    def __post_init__(self) -> None:
        self.executor = FakeExecutor(now_ms=lambda: self.now_ms, script_for=lambda key, _spec: self.scripts[key])

    def launch(self, key: str, play: Play, spec: LaunchSpec = BLANK) -> None:
        outputs = {}
        if play.leaves:
            outputs[play.leaves] = str(self.files / play.leaves)
            (self.files / play.leaves).write_text("left")
        script = Script(duration_ms=play.runs_ms, exit_code=play.exits, log=play.says, outputs=outputs)
        self.scripts.setdefault(key, script)
        self.executor.launch(key, replace(spec, command=("play",)))

    def until(self, key: str, condition: Callable[[Observation], bool]) -> Observation:
        for _ in range(10_000):
            seen = self.executor.observe([key])[key]
            if condition(seen):
                return seen
            self.now_ms += 10
        raise AssertionError(f"still {seen}")
