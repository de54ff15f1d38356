"""How are /proc and /sys read, on this machine or from a recorded tree?

Every reader takes a Tree. A file that is absent, unreadable or not a number is None: on real
machines any of these files may be missing, and a gap is a fact to report, not an error.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

PCI_ADDRESS = re.compile(r"[0-9a-f]{4,8}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-7]")
MAX_FILE = 1 << 20


@dataclass(frozen=True, slots=True)
class Tree:
    """A file system seen from `root`; paths are given without a leading slash."""

    root: Path = Path("/")

    @property
    def is_live(self) -> bool:
        """Whether this is the machine the agent runs on, so that system calls agree with it."""
        return self.root == Path("/")

    def text(self, path: str) -> str | None:
        """The file's text without surrounding space."""
        try:
            with open(self.root / path, encoding="utf-8", errors="replace") as file:
                return file.read(MAX_FILE).strip("\0 \t\r\n")
        except OSError:
            return None

    def number(self, path: str) -> int | None:
        """The whole number in the file; "max", "Unknown" and the like are None."""
        text = self.text(path)
        return int(text) if text is not None and re.fullmatch(r"[+-]?\d{1,18}", text) else None

    def names(self, path: str) -> tuple[str, ...]:
        """What a directory holds, sorted."""
        try:
            return tuple(sorted(entry.name for entry in (self.root / path).iterdir()))
        except OSError:
            return ()

    def has(self, path: str) -> bool:
        return (self.root / path).exists()

    def real(self, path: str) -> str | None:
        """Where a path leads after links, from the root; None where it leads nowhere."""
        try:
            return str((self.root / path).resolve(strict=True).relative_to(self.root.resolve()))
        except (OSError, ValueError):
            return None

    def fields(self, path: str) -> dict[str, str]:
        """`name: value` lines of a file (the first of each name)."""
        found: dict[str, str] = {}
        for line in (self.text(path) or "").splitlines():
            name, colon, value = line.partition(":")
            if colon:
                found.setdefault(name.strip(), value.strip())
        return found


def parse_list(text: str | None) -> tuple[int, ...]:
    """The kernel's list format: "0-2,8" is (0, 1, 2, 8). What is not a list is empty."""
    return tuple(sorted(set(_members(text or ""))))


def _members(text: str) -> Iterator[int]:
    for part in text.split(","):
        match = re.fullmatch(r"\s*(\d{1,6})(?:-(\d{1,6}))?\s*", part)
        if match:
            first = int(match[1])
            yield from range(first, int(match[2] or first) + 1)


def parse_mask(text: str | None) -> tuple[int, ...]:
    """The kernel's mask format: "00000001,00000005" is (0, 2, 32)."""
    digits = (text or "").replace(",", "")
    if not re.fullmatch(r"[0-9a-fA-F]{1,4096}", digits):
        return ()
    mask = int(digits, 16)
    return tuple(bit for bit in range(mask.bit_length()) if mask >> bit & 1)


def show_list(numbers: tuple[int, ...]) -> str:
    """The reverse of `parse_list`."""
    spans: list[list[int]] = []
    for number in numbers:
        if spans and spans[-1][1] == number - 1:
            spans[-1][1] = number
        else:
            spans.append([number, number])
    return ",".join(str(a) if a == b else f"{a}-{b}" for a, b in spans)


def kibibytes(text: str | None) -> int | None:
    """Bytes of a /proc/meminfo value such as "24683652 kB"."""
    match = re.fullmatch(r"(\d+)\s*kB", text or "")
    return int(match[1]) * 1024 if match else None
