"""How is a small file written so that a crash leaves the old one or the new one?"""

import json
import os
from pathlib import Path
from typing import Any


def write_whole(path: Path, content: bytes) -> None:
    """Replace `path`; on return the new content survives a power cut."""
    draft = path.with_name(f".{path.name}.new")
    with open(draft, "wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
    os.replace(draft, path)
    sync_directory(path.parent)


def sync_directory(directory: Path) -> None:
    """Make renames in a directory survive a power cut."""
    handle = os.open(directory, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def read_json(path: Path, *, limit: int = 1 << 20) -> dict[str, Any] | None:
    """The object in a JSON file of others; None when it is absent, torn or something else."""
    try:
        with open(path, "rb") as file:
            found = json.loads(file.read(limit))
    except (OSError, ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None
