"""How does a small JSON file appear whole or not at all?"""

import json
import os

Json = dict[str, object]


def write_json(path: str, content: Json) -> None:
    """Replace `path` in one step; a reader sees the old content or the new, never a piece."""
    draft = f"{path}.{os.getpid()}.tmp"
    with open(draft, "w", encoding="utf-8") as file:
        json.dump(content, file, separators=(",", ":"))
    os.replace(draft, path)


def read_json(path: str) -> Json | None:
    """The object in `path`, or None when there is no such file or no such object."""
    try:
        with open(path, encoding="utf-8") as file:
            content = json.load(file)
    except (OSError, ValueError):
        return None
    return content if isinstance(content, dict) else None
