"""Which cells does a `nvidia-smi topo` table hold? Tabs or spaces, with or without affinity columns.

A row is its name, one cell per device column and, on GPU rows, the affinities. The driver writes two tabs before the
last affinity and nothing at all on rows of network cards.
"""

import re
from dataclasses import dataclass, field

from alldata.agent.readers import quantities
from alldata.agent.readers.document import Document

_COLUMN = re.compile(r"CPU Affinity|NUMA Affinity|GPU NUMA ID|\S+")
_CELL = re.compile(r"X|NV\d+|SYS|NODE|PHB|PXB|PIX|SOC|OK|CNS|GNS|TNS|NS|DR|U")
_AFFINITIES = ("CPU Affinity", "NUMA Affinity", "GPU NUMA ID")


@dataclass(slots=True)
class Table:
    """`cells[row][column]`; `tail[row]` maps an affinity to its text."""

    columns: list[str]
    tails: list[str]
    cells: dict[str, dict[str, str]] = field(default_factory=dict)
    tail: dict[str, dict[str, str]] = field(default_factory=dict)

    @property
    def gpus(self) -> list[str]:
        return [name for name in self.columns if re.fullmatch(r"GPU\d+", name)]

    @property
    def others(self) -> list[str]:
        return [name for name in self.columns if not re.fullmatch(r"GPU\d+", name)]

    def values(self) -> set[str]:
        return {cell for row in self.cells.values() for cell in row.values()}


def tables(document: Document) -> tuple[list[Table], list[tuple[int, str]]]:
    """Every table of the document, and the rows (line, cause) that do not fit theirs."""
    found: list[Table] = []
    faults = []
    for place, line in enumerate(document.lines, 1):
        names = _COLUMN.findall(line)
        if not names:
            continue
        if names[0] == "GPU0" and len(names) > 1 and not _CELL.fullmatch(names[1]):
            columns = [name for name in names if name not in _AFFINITIES]
            found.append(Table(columns, [name for name in names if name in _AFFINITIES]))
        elif found and names[0] in found[-1].columns and not re.match(r"\s*\S+\s*:", line):
            fault = _take(found[-1], line)
            faults += [(place, fault)] if fault else []
    return found, faults


def _take(table: Table, line: str) -> str | None:
    cells = [cell.strip() for cell in line.strip(" ").split("\t")] if "\t" in line.strip() else line.split()
    name, rest = cells[0], cells[1:]
    width = len(table.columns)
    told = sum(cell != "" for cell in rest[:width])
    if told < width:
        return f"row {name} has {told} of {width} cells"
    table.cells[name] = dict(zip(table.columns, rest[:width], strict=True))
    tail = rest[width:]
    if len(tail) > len(table.tails) and len(tail) > 2 and tail[2] == "":
        del tail[2]
    table.tail[name] = {title: text for title, text in zip(table.tails, tail, strict=False) if quantities.told(text)}
    return None
