"""How are cards joined, by `nvidia-smi topo -m`, `-mp` or `-p2p`?

The number of NVLinks belongs to a pair. `-mp` hides NVLinks (its legend lacks the line for them): then their number is
unknown, not 0. Which network card is near which GPU is in the table, never in the numbering.
"""

import re
from itertools import combinations

from alldata.agent.probe.tree import parse_list
from alldata.agent.readers.document import Document
from alldata.agent.readers.matrix import Table, tables
from alldata.agent.readers.records import Accelerator, Adapter, Cell, Facts, Host, Pair, Reading

KIND = "topo"
_ROW = re.compile(r"^\s*GPU\d+\s+(X|NV\d+|SYS|NODE|PHB|PXB|PIX|SOC|OK|CNS|GNS|TNS|NS|DR|U)\b", re.MULTILINE)
_NEARNESS = ("PIX", "PXB", "PHB", "NODE", "SYS")
_P2P = {"X", "OK", "CNS", "GNS", "TNS", "NS", "DR", "U"}
_LEGEND = re.compile(r"^\s*(NIC\d+)\s*:\s*(\S+)", re.MULTILINE)


def recognises(document: Document) -> bool:
    return _ROW.search(document.text) is not None


def read(document: Document) -> Reading:
    found, faults = tables(document)
    complaints = tuple(document.complaint(line, cause) for line, cause in faults)
    paths = next((table for table in found if not table.values() <= _P2P), None)
    peers = next((table for table in found if table.values() <= _P2P and len(table.gpus) > 1), None)
    paths = paths or next((table for table in found if table is not peers), None)
    facts: dict[str, object] = {}
    hosts: tuple[Host, ...] = ()
    if paths:
        hidden = "Legend" in document.text and "NV#" not in document.text
        aliases = dict(_LEGEND.findall(document.text))
        facts |= _facts(paths, aliases, hidden=hidden)
        hosts = (_host(paths, aliases),)
    if peers:
        facts["p2p"] = {f"{a[3:]}-{b[3:]}": peers.cells[a][b] for a, b in combinations(peers.gpus, 2)}
        facts.setdefault("gpus", len(peers.gpus))
    return Reading(KIND, hosts, facts, complaints)


def _links(table: Table) -> dict[tuple[str, str], int]:
    """NVLinks of each pair of cards; 0 where the path is another."""
    rows = [name for name in table.gpus if name in table.cells]
    return {(a, b): _count(table.cells[a][b]) for a, b in combinations(rows, 2)}


def _count(cell: str) -> int:
    return int(cell[2:]) if re.fullmatch(r"NV\d+", cell) else 0


def _numa(table: Table, name: str, title: str = "NUMA Affinity") -> int | None:
    text = table.tail.get(name, {}).get(title, "")
    return int(text) if text.isdecimal() else None


def _facts(table: Table, aliases: dict[str, str], *, hidden: bool) -> Facts:
    links = _links(table)
    counts = set(links.values())
    islands = _islands(table.gpus, [pair for pair, count in links.items() if count])
    inside = {count for count in links.values() if count}
    memory_nodes = [_numa(table, name, "GPU NUMA ID") for name in table.gpus]
    near = {name: _nearest(table, name, aliases) for name in table.gpus}
    return {
        "gpus": len(table.gpus),
        "nics": len(table.others),
        "nvlink_per_pair": None if hidden or len(counts) > 1 else next(iter(counts), 0),
        "nvlink_pairs": {f"{a[3:]}-{b[3:]}": count for (a, b), count in links.items() if count},
        "nvlink_islands": islands,
        "nvlink_per_pair_in_island": next(iter(inside)) if len(inside) == 1 else None,
        "gpu_numa": [_numa(table, name) for name in table.gpus],
        "gpu_numa_id": None if set(memory_nodes) == {None} else memory_nodes,
        "cpu_affinity_gpu0": table.tail.get("GPU0", {}).get("CPU Affinity"),
        "gpu_nearest_nics": {name: nics for name, (_path, nics) in near.items()},
        "gpu_pix_nic": _single(near, "PIX"),
        "gpu_pxb_nic": _single(near, "PXB"),
        "nics_without_gpu": [_alias(nic, aliases) for nic in table.others if not _touches(table, nic)],
    }


def _single(near: dict[str, tuple[str, list[str]]], path: str) -> dict[str, str | list[str]]:
    return {name: nics[0] if len(nics) == 1 else nics for name, (best, nics) in near.items() if best == path}


def _alias(nic: str, aliases: dict[str, str]) -> str:
    return aliases.get(nic, nic)


def _nearest(table: Table, gpu: str, aliases: dict[str, str]) -> tuple[str, list[str]]:
    """The shortest kind of path to any network card, and the cards at its end."""
    row = table.cells.get(gpu, {})
    for path in _NEARNESS:
        there = [_alias(nic, aliases) for nic in table.others if row.get(nic) == path]
        if there:
            return path, there
    return "", []


def _touches(table: Table, nic: str) -> bool:
    return any(table.cells.get(gpu, {}).get(nic) in ("PIX", "PXB", "PHB") for gpu in table.gpus)


def _islands(gpus: list[str], joined: list[tuple[str, str]]) -> list[list[int]]:
    """Groups of cards that NVLink connects."""
    group = {name: {name} for name in gpus}
    for a, b in joined:
        merged = group[a] | group[b]
        for name in merged:
            group[name] = merged
    seen = {tuple(sorted(int(name[3:]) for name in members)) for members in group.values() if len(members) > 1}
    return [list(members) for members in sorted(seen)]


def _host(table: Table, aliases: dict[str, str]) -> Host:
    cards = tuple(Accelerator(int(name[3:]), numa_node=_numa(table, name)) for name in table.gpus)
    pairs = tuple(Pair("nvlink", int(a[3:]), int(b[3:]), count) for (a, b), count in _links(table).items() if count)
    cpus = {_numa(table, name): parse_list(table.tail.get(name, {}).get("CPU Affinity")) for name in table.gpus}
    cells = tuple(Cell(node, listed) for node, listed in cpus.items() if node is not None and listed)
    return Host(
        accelerators=cards,
        pairs=pairs,
        cells=cells,
        adapters=tuple(Adapter(_alias(nic, aliases)) for nic in table.others),
    )
