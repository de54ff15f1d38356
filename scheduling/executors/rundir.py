"""What does one attempt's run directory say, and is its shim alive?

Layout and fields: docs/shim.md. Everything here reads; only `spec.json`, `stop.json` and
`lost.json` are ever written by an engine, each in one step.
"""

import json
import os
import stat
from collections.abc import Mapping
from pathlib import Path
from uuid import uuid4

from scheduling.executors.base import Progress

PROGRESS_LIMIT_BYTES = 64 * 1024
LARGEST_COUNT = 2**63 - 1

Facts = Mapping[str, object]


def read_facts(path: Path, *, limit_bytes: int = 1024 * 1024) -> Facts | None:
    """The JSON object in a file, or None: absent, half written, too large, not an object, a link."""
    try:
        handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return None
    with os.fdopen(handle, "rb") as file:
        if not stat.S_ISREG(os.fstat(handle).st_mode):
            return None
        text = file.read(limit_bytes + 1)
    try:
        content = json.loads(text) if len(text) <= limit_bytes else None
    except (ValueError, RecursionError):
        return None
    return content if isinstance(content, dict) else None


def write_once(path: Path, content: Facts) -> bool:
    """Create a whole file unless it exists; among racing writers exactly one gets True."""
    draft = _draft(path, content)
    try:
        os.link(draft, path)
    except FileExistsError:
        return False
    finally:
        draft.unlink()
    return True


def replace(path: Path, content: Facts) -> None:
    """Write a whole file over whatever is there."""
    _draft(path, content).replace(path)


def _draft(path: Path, content: Facts) -> Path:
    draft = path.with_name(f".{path.name}.{uuid4().hex}")
    draft.write_text(json.dumps(content), encoding="utf-8")
    return draft


def shim_is_alive(status: Facts) -> bool:
    """True while the very process that wrote this status runs: same boot, same start, no zombie."""
    pid, start = status.get("pid"), status.get("pid_start")
    try:
        if Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip() != status.get("boot_id"):
            return False
        fields = Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()
    except OSError:
        return False
    return fields[0] not in (b"Z", b"X") and int(fields[19]) == start


def whole(facts: Facts, name: str) -> int | None:
    """A non-negative integer field, or None when it is anything else."""
    value = facts.get(name)
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= LARGEST_COUNT:
        return None
    return value


def text(facts: Facts, name: str) -> str | None:
    value = facts.get(name)
    return value[:2000] if isinstance(value, str) else None


def table(facts: Facts, name: str) -> Facts:
    value = facts.get(name)
    return value if isinstance(value, dict) else {}


def read_progress(run: Path) -> Progress | None:
    """What the job last said of itself; nonsense fields become None one by one."""
    facts = read_facts(run / "progress.json", limit_bytes=PROGRESS_LIMIT_BYTES)
    if facts is None:
        return None
    unit = text(facts, "unit")
    return Progress(
        step=whole(facts, "step"),
        steps=whole(facts, "steps"),
        epoch=whole(facts, "epoch"),
        units=whole(facts, "units"),
        unit=unit[:40] if unit else None,
        saved_ms=whole(facts, "saved_ms"),
    )
