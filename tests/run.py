"""What does `make test` run, in which order, and what may be left out here?

Cheapest first, as STYLE asks; all suites run even when one fails, so one run tells everything. Suites that need no
service run beside the others, as there are two cores, and tell when they are done. A suite that needs a
program this machine lacks is installed by apt where we may; else it is left out, named with the one command that adds
it, and only ALLDATA_REQUIRE_ALL=1 turns that into a failure.
"""

import os
import secrets
import shutil
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

from alldata.embedded.prepare import install
from benchmarks import FAST

PYTHON = sys.executable
PYTEST = (PYTHON, "-m", "pytest")


@dataclass(frozen=True, slots=True)
class Need:
    """A program that pip cannot bring, and the Debian packages that do."""

    programs: tuple[str, ...]
    packages: tuple[str, ...]

    def is_met(self) -> bool:
        return any(shutil.which(program) for program in self.programs)


@dataclass(frozen=True, slots=True)
class Suite:
    """One line of the summary."""

    name: str
    command: Sequence[str]
    need: Need | None = None
    extra: Mapping[str, str] = field(default_factory=dict)  # of the environment
    is_beside: bool = False  # runs while others do


CHROMIUM = Need(("chromium", "chromium-browser", "google-chrome"), ("chromium", "fonts-noto-cjk"))

CHECKS = (
    Suite("ruff", (PYTHON, "-m", "ruff", "check", "--quiet", ".")),
    Suite("mypy", (PYTHON, "-m", "mypy")),
    Suite("lint-imports", (str(Path(PYTHON).with_name("lint-imports")), "--no-logo")),
    Suite("shape", (*PYTEST, "tests/architecture/test_shape.py")),
)
#: The platform runs without numba; where the core compiles its kernels, the same files are asked again with it.
KERNELS = sorted(str(path) for path in Path("tests/pure").glob("test_crater_*.py"))
TESTS = (
    Suite("pure", (*PYTEST, "tests/pure"), is_beside=True),
    Suite("machine code", (*PYTEST, *KERNELS), extra={"PYTHONPATH": str(FAST)}, is_beside=True),
    Suite("architecture", (*PYTEST, "tests/architecture", "--deselect", "tests/architecture/test_shape.py")),
    Suite("corpus", (*PYTEST, "tests/corpus")),
    Suite("database", (*PYTEST, "tests/database")),
    Suite("doors", (*PYTEST, "tests/doors")),
    Suite("contract", (*PYTEST, "tests/contract")),
    Suite("story", (*PYTEST, "tests/story")),
    Suite("browser", (*PYTEST, "tests/browser"), CHROMIUM),
)


@dataclass(frozen=True, slots=True)
class Outcome:
    """How one suite went: `passed`, `FAILED` or `left out`."""

    suite: Suite
    word: str
    seconds: float = 0.0


def run(suite: Suite) -> Outcome:
    """Run one suite where its needs are met or can be met."""
    if not suite.is_beside:
        print(f"== {suite.name}", flush=True)
    if suite.need and not suite.need.is_met() and not install(list(suite.need.packages)):
        return Outcome(suite, "left out")
    began = time.monotonic()
    where = {**environment(), **suite.extra}
    done = subprocess.run(suite.command, check=False, env=where, text=True, capture_output=suite.is_beside)
    if suite.is_beside:
        print(f"\n== {suite.name}, beside\n{done.stdout}{done.stderr}", flush=True)
    word = "passed" if done.returncode == 0 else "FAILED"
    return Outcome(suite, word, time.monotonic() - began)


def run_all(suites: Sequence[Suite]) -> list[Outcome]:
    """All of them, in their order."""
    with ThreadPoolExecutor(1) as other:
        beside = {suite.name: other.submit(run, suite) for suite in suites if suite.is_beside}
        found = {suite.name: run(suite) for suite in suites if not suite.is_beside}
    return [beside[suite.name].result() if suite.is_beside else found[suite.name] for suite in suites]


def environment() -> dict[str, str]:
    """Ours, with the secrets that settings insist on; mypy's Django plugin reads settings too."""
    made = {name: secrets.token_hex(16) for name in ("ALLDATA_SECRET_KEY", "ALLDATA_AGENT_KEY")}
    return made | dict(os.environ)


def main(words: Sequence[str]) -> int:
    """`check` runs the checks; anything else the checks and the tests."""
    outcomes = run_all(CHECKS if "check" in words else (*CHECKS, *TESTS))
    print()
    for outcome in outcomes:
        print(f"{outcome.suite.name:14} {outcome.word:9} {outcome.seconds:6.1f} s")
    left_out = [outcome.suite for outcome in outcomes if outcome.word == "left out"]
    packages = [package for suite in left_out if suite.need for package in suite.need.packages]
    if left_out:
        names = ", ".join(suite.name for suite in left_out)
        print(f"Left out: {names}. To add them: apt-get install {' '.join(packages)}")
    failed = any(outcome.word == "FAILED" for outcome in outcomes)
    return 1 if failed or (left_out and os.environ.get("ALLDATA_REQUIRE_ALL") == "1") else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
