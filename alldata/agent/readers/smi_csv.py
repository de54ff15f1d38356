"""What does `nvidia-smi --query-gpu=... --format=csv` say? Units stand in cells or headers; cells may be gaps.

Without a header only cells whose form gives them away are named: the first text is the card's name, a bare whole
number its temperature (nothing else is printed without a unit), `P0` its state. A percentage could be load or fan.
"""

import re

from alldata.agent.probe.pcie import normal_address
from alldata.agent.readers.document import Document
from alldata.agent.readers.quantities import mebibytes, number, told
from alldata.agent.readers.records import Accelerator, Facts, Host, Reading

KIND = "smi_csv"
_HEADER = re.compile(r"\s*(?:[a-z][a-z0-9_.]*(?: \[[A-Za-z%]+\])?\s*,\s*)*[a-z][a-z0-9_.]*(?: \[[A-Za-z%]+\])?\s*")
_COLUMN = re.compile(
    r"(^|,)\s*(name|gpu_name|uuid|gpu_uuid|index|memory\.|utilization\.|temperature\.|power\.|pci\.|driver_version)"
)
_BARE = re.compile(r"[^,]+(, ([^,]*%|P\d+|\[[^,\]]+\]|[\d.]+( (MiB|W|MHz))?))+")
_GAPS = re.compile(r"\[(Not Supported|N/A|Unknown Error)\]|\bP\d\b|\b(MiB|MHz)\b")
#: Our name for a column, and whether it is text.
_NAMES = {
    "gpu_name": "name",
    "gpu_uuid": "uuid",
    "utilization.gpu": "util",
    "temperature.gpu": "temperature_c",
    "memory.total": "memory_total_mib",
    "memory.used": "memory_used_mib",
    "power.limit": "power_limit_w",
    "power.draw": "power_draw_w",
    "power.default_limit": "power_default_limit_w",
    "clocks.current.memory": "memory_clock_mhz",
    "clocks.mem": "memory_clock_mhz",
    "clocks.max.memory": "max_mem_clock_mhz",
    "clocks.max.sm": "max_sm_clock_mhz",
    "driver_version": "driver",
    "pci.bus_id": "bus",
    "gpu_bus_id": "bus",
    "mig.mode.current": "mig_current",
}
_NUMERIC = re.compile(r"_(mib|w|mhz|c)$|^util$|^index$|^pcie|fan|^count$")


def recognises(document: Document) -> bool:
    first = next((line for line in document.lines if line.strip()), "")
    if "," not in first:
        return False
    if _HEADER.fullmatch(first):
        return _COLUMN.search(first) is not None
    return _BARE.fullmatch(first.strip()) is not None and _GAPS.search(first) is not None


def read(document: Document) -> Reading:
    complaints = []
    rows: list[dict[str, str]] = []
    columns: list[str] | None = None
    for place, line in enumerate(document.lines, 1):
        cells = [cell.strip() for cell in line.split(",")]
        if not line.strip() or line.startswith("# exit"):
            continue
        if columns is None and not rows and _HEADER.fullmatch(line) and _COLUMN.search(line):
            columns = [_column(cell) for cell in cells]
        elif columns is None:
            rows.append(_by_form(cells))
        elif len(cells) != len(columns):
            complaints.append(document.complaint(place, f"{len(cells)} cells under {len(columns)} headings"))
        else:
            rows.append(dict(zip(columns, cells, strict=True)))
    cards = tuple(_card(place, row) for place, row in enumerate(rows))
    return Reading(KIND, (Host(accelerators=cards),), _facts(rows), tuple(complaints))


def _column(heading: str) -> str:
    plain = heading.partition(" [")[0]
    return _NAMES.get(plain, plain.replace(".", "_"))


def _by_form(cells: list[str]) -> dict[str, str]:
    found = {"name": cells[0]}
    for cell in cells[1:]:
        if re.fullmatch(r"\d{1,3}", cell):
            found.setdefault("temperature_c", cell)
        elif re.fullmatch(r"P\d+", cell):
            found.setdefault("pstate", cell)
    return found


def _value(name: str, cell: str) -> str | float | int | None:
    if not _NUMERIC.search(name):
        return told(cell)
    value = number(cell)
    return int(value) if value is not None and value == int(value) else value


def _facts(rows: list[dict[str, str]]) -> Facts:
    """Lists for what tells cards apart, the first card's value for the rest."""
    facts: dict[str, object] = {"gpus": len(rows), "util": None}
    for name in rows[0] if rows else ():
        values = [_value(name, row.get(name, "")) for row in rows]
        facts[name] = values if name in ("compute_cap", "serial", "uuid", "bus", "index") else values[0]
    return facts


def _card(place: int, row: dict[str, str]) -> Accelerator:
    index = number(row.get("index"))
    bus = told(row.get("bus"))
    attributes = {"driver_version": row.get("driver"), "compute_capability": row.get("compute_cap")}
    return Accelerator(
        index=place if index is None else int(index),
        uuid=told(row.get("uuid")),
        model=told(row.get("name")),
        bus=normal_address(bus) if bus else None,
        memory_bytes=mebibytes(row.get("memory_total_mib")),
        attributes={name: text for name, text in attributes.items() if text and told(text)},
    )
