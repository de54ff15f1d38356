"""How does a recorded file tree become readable: a folder, a tar archive, or a table of paths and values?

The tables are a JSON object {"sys/...": "value"} or lines `path<TAB>value`, where `-> target` is a link and a path that
repeats is a further line of the same file. Members that would lie outside the tree are refused.
"""

import json
import re
import tarfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory

from alldata.agent.probe.tree import Tree
from alldata.agent.readers.document import Document

MAX_MEMBERS, MAX_TOTAL = 200_000, 256 << 20
_TOPS = ("sys", "proc")
#: Folders that nothing is read from and that hold most of a recording's files.
_UNREAD = re.compile(
    r"/(memory\d+|power|hugepages|microcode|cpuidle|hw_counters|counters|cpuid|acpi|debug|cache|crash_notes|uevent|irq"
    r"|modalias|msi_bus|enable|remove|rescan|config|resource|broken_parity_status|tasks|cgroup\.procs)(/|$)"
)


class Unfit(Exception):
    """The archive is not a recording that can be read: the cause in words."""


@contextmanager
def unpacked(archive: Path) -> Iterator[Tree]:
    """The archive's tree, for as long as the block runs. Errors: Unfit."""
    with TemporaryDirectory(prefix="alldata-import-") as folder:
        try:
            with tarfile.open(archive) as tar:
                members = [member for member in tar.getmembers() if not _UNREAD.search(member.name)]
                if len(members) > MAX_MEMBERS or sum(member.size for member in members) > MAX_TOTAL:
                    raise Unfit(f"larger than {MAX_MEMBERS} files or {MAX_TOTAL >> 20} MiB")
                for member in members:
                    if member.isdir():
                        member.mode = 0o755  # recordings keep the kernel's read-only folders
                tar.extractall(folder, members, filter="data")
        except (tarfile.TarError, EOFError, OSError) as fault:
            raise Unfit(f"not a sound archive: {fault}") from None
        yield tree_in(Path(folder))


def tree_in(folder: Path) -> Tree:
    """The tree in a folder, or one or two folders down. Errors: Unfit."""
    for candidate in (folder, *sorted(folder.glob("*")), *sorted(folder.glob("*/*"))):
        if any((candidate / top).is_dir() for top in _TOPS):
            return Tree(candidate)
    raise Unfit("neither sys/ nor proc/ is in it")


def table_of(document: Document) -> dict[str, str] | None:
    """Path to content when the document is such a table."""
    if document.text.lstrip().startswith("{"):
        try:
            plain = json.loads(document.text)
        except (ValueError, RecursionError):
            return None
        is_table = isinstance(plain, dict) and plain and all(map(_is_path, plain))
        return {path.lstrip("/"): str(value) for path, value in plain.items()} if is_table else None
    found: dict[str, list[str]] = {}
    for line in document.lines:
        path, tab, value = line.partition("\t")
        if tab and path.startswith("/") and _is_path(path):
            found.setdefault(path.lstrip("/"), []).append(value)
        elif line.strip():
            return None
    return {path: "\n".join(lines) for path, lines in found.items()} or None


def _is_path(path: str) -> bool:
    parts = PurePosixPath(path.lstrip("/")).parts
    return bool(parts) and parts[0] in ("sys", "proc", "dev", "run", "etc") and ".." not in parts


@contextmanager
def laid_out(table: dict[str, str]) -> Iterator[Tree]:
    """The table as files, for as long as the block runs. Links first: values may be reached through them."""
    with TemporaryDirectory(prefix="alldata-import-") as folder:
        root = Path(folder)
        links = {path: value[3:].strip() for path, value in table.items() if value.startswith("-> ")}
        for path, target in links.items():
            if _is_path(target) and path.strip("/") != target.strip("/"):
                (root / target.lstrip("/")).mkdir(parents=True, exist_ok=True)
                (root / path).parent.mkdir(parents=True, exist_ok=True)
                if not (root / path).exists():
                    (root / path).symlink_to(root / target.lstrip("/"))
        for path, value in table.items():
            place = root / path
            if path not in links and not place.is_dir():
                place.parent.mkdir(parents=True, exist_ok=True)
                place.write_text(value + "\n", encoding="utf-8")
        yield Tree(root)
