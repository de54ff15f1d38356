"""How many facts of the input corpus does the offline reader get right?

    python -m benchmarks.corpus --data DIR --json

DIR/inputs/index.csv lists files and the facts that a correct reader gets from them. Only this module reads it. A fact
is one leaf of `expected`; what a reader says beyond that is not counted.
"""

import argparse
import csv
import json
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from alldata.agent.readers.records import Reading
from alldata.agent.readers.registry import read_path

#: What the index calls a summary that the reader names for its meaning.
ALIASES = {"lstopo_2_9_allowed": "allowed", "hwloc_expected": "allowed"}
MISSING = "<nothing>"


@dataclass(frozen=True, slots=True)
class Wrong:
    """One fact that was not read as expected."""

    file: str
    path: str
    expected: Any
    found: Any

    def as_json(self) -> dict[str, Any]:
        return {"file": self.file, "path": self.path, "expected": self.expected, "found": self.found}


def leaves(expected: Any, found: Any, path: str = "") -> Iterator[tuple[str, Any, Any]]:
    """(path, expected, found) of every leaf; an empty list or object is one leaf, and lists must be of one length."""
    if isinstance(expected, dict) and expected:
        for name, member in expected.items():
            below = found.get(name, MISSING) if isinstance(found, dict) else MISSING
            yield from leaves(member, below, f"{path}.{name}".lstrip("."))
    elif isinstance(expected, list) and expected:
        same = isinstance(found, list) and len(found) == len(expected)
        for index, member in enumerate(expected):
            yield from leaves(member, found[index] if same else MISSING, f"{path}[{index}]")
    else:
        yield path, expected, found


def equal(expected: Any, found: Any) -> bool:
    """Same value and same kind: 1 is not true, and "4" is not 4."""
    if isinstance(expected, bool) or isinstance(found, bool):
        return expected is found
    return bool(expected == found)


def facts_of(reading: Reading) -> dict[str, Any]:
    """What the reader says, under the index's names too."""
    found = dict(reading.facts)
    return found | {theirs: found[ours] for theirs, ours in ALIASES.items() if ours in found}


def _read(path: Path) -> Reading:
    """A file that is not there counts against us, and ends nothing."""
    try:
        return read_path(path)
    except OSError:
        return Reading("absent")


def index_of(data: Path) -> Iterator[tuple[str, Any]]:
    with open(data / "inputs" / "index.csv", newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            yield row["file"], json.loads(row["expected"])


def examine(data: Path) -> dict[str, Any]:
    """The report: files, facts, facts_correct, wrong and seconds."""
    began = time.monotonic()
    files = facts = 0
    wrong: list[Wrong] = []
    for name, expected in index_of(data):
        files += 1
        found = facts_of(_read(data / "inputs" / name))
        for path, value, ours in leaves(expected, found):
            facts += 1
            if not equal(value, ours):
                wrong.append(Wrong(name, path, value, ours))
    return {
        "files": files,
        "facts": facts,
        "facts_correct": facts - len(wrong),
        "wrong": [fault.as_json() for fault in wrong],
        "seconds": round(time.monotonic() - began, 2),
    }


def main(arguments: Sequence[str] | None = None) -> int:
    """0 when every fact is right."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True, help="the folder that holds inputs/index.csv")
    parser.add_argument("--json", action="store_true", help="print the report as JSON")
    options = parser.parse_args(arguments)
    report = examine(options.data)
    if options.json:
        sys.stdout.write(json.dumps(report, indent=1, ensure_ascii=False, default=str) + "\n")
    else:
        sys.stdout.write(f"{report['facts_correct']} of {report['facts']} facts in {report['files']} files\n")
        for fault in report["wrong"]:
            sys.stdout.write(f"  {fault['file']}: {fault['path']} should be {fault['expected']}, is {fault['found']}\n")
    return 0 if not report["wrong"] else 1


if __name__ == "__main__":
    sys.exit(main())
