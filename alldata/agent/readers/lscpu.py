"""What does `lscpu` say, as text or as JSON (`lscpu -J`)? Speeds "now" are not read: they say nothing of the part."""

import re
from collections.abc import Iterator
from typing import Any

from alldata.agent.probe.tree import parse_list
from alldata.agent.readers.document import Document, json_of
from alldata.agent.readers.quantities import told, whole
from alldata.agent.readers.records import Cell, Complaint, Facts, Host, Processor, Reading

KIND = "lscpu"
_NODE = re.compile(r"NUMA node(\d+) CPU\(s\)")


def recognises(document: Document) -> bool:
    if document.text.lstrip().startswith("{"):
        return re.match(r'\s*\{\s*"lscpu"', document.text) is not None
    return re.search(r"^(Architecture:|CPU\(s\):)\s", document.text, re.MULTILINE) is not None


def read(document: Document) -> Reading:
    facts, complaints = _fields(document)
    nodes = {int(match[1]): text for name, text in facts.items() if (match := _NODE.fullmatch(name))}
    sockets, per_socket = whole(facts.get("Socket(s)")), whole(facts.get("Core(s) per socket"))
    processor = Processor(
        model=told(facts.get("Model name")),
        vendor=told(facts.get("Vendor ID")),
        sockets=sockets,
        cores=sockets * per_socket if sockets and per_socket else None,
        threads=whole(facts.get("CPU(s)")),
    )
    cells = tuple(Cell(node, parse_list(text)) for node, text in sorted(nodes.items()))
    host = Host(processor=processor, cores=processor.threads, cells=cells)
    return Reading(KIND, (host,), _facts(facts, nodes, processor), complaints)


def _facts(facts: dict[str, str], nodes: dict[int, str], processor: Processor) -> Facts:
    return {
        "arch": told(facts.get("Architecture")),
        "sockets": processor.sockets,
        "cores_per_socket": whole(facts.get("Core(s) per socket")),
        "threads_per_core": whole(facts.get("Thread(s) per core")),
        "threads": processor.threads,
        "numa": whole(facts.get("NUMA node(s)")),
        "model": processor.model,
        "vendor": processor.vendor,
        "online": told(facts.get("On-line CPU(s) list")),
        **{f"numa{node}": text for node, text in nodes.items()},
    }


def _fields(document: Document) -> tuple[dict[str, str], tuple[Complaint, ...]]:
    if not document.text.lstrip().startswith("{"):
        split = (line.partition(":") for line in document.lines)
        return {name.strip(): value.strip() for name, colon, value in split if colon}, ()
    plain, fault = json_of(document)
    if fault:
        return {}, (fault,)
    return dict(_entries(plain.get("lscpu"))), ()


def _entries(items: Any) -> Iterator[tuple[str, str]]:
    for item in items if isinstance(items, list) else ():
        if isinstance(item, dict):
            yield str(item.get("field", "")).rstrip(":"), str(item.get("data") or "")
            yield from _entries(item.get("children"))
