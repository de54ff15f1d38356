"""Which cards do Slurm's own lists name: `gres.conf`, and `sinfo` with a column of generic resources?

The type in a gres is a name an administrator chose, not a model.
"""

import re
from collections.abc import Iterator

from alldata.agent.readers.document import Document
from alldata.agent.readers.records import Accelerator, Facts, Host, Reading

PAIR = re.compile(r"(?:^|\s)([A-Za-z][\w:/]*)=(.*?)(?=\s+[A-Za-z][\w:/]*=|$)")
GRES = re.compile(r"gpu(?::([A-Za-z][^:,(=]*))?[:=](\d+)")


def read_gres(document: Document) -> Reading:
    nodes: list[str] = []
    cores: dict[str, str] = {}
    files: dict[str, set[str]] = {}
    found = re.search(r"^(?:.*\s)?AutoDetect=(\S+)", document.text, re.M)
    for line in document.lines:
        fields = dict(PAIR.findall(line.partition("#")[0]))
        if fields.get("Name") != "gpu":
            continue
        names = list(expand(fields.get("NodeName", "")))
        nodes += [name for name in names if name not in nodes]
        devices = [path.rpartition("/")[2] for path in expand(fields.get("File", ""))]
        for name in names or [""]:
            files.setdefault(name, set()).update(devices)
        cores |= {device: fields["Cores"] for device in devices if "Cores" in fields}
    counts = sorted({len(devices) for devices in files.values()})
    per_node = counts[0] if len(counts) == 1 else counts or None
    facts: Facts = {"nodes": nodes, "gpus_per_node": per_node, "gpus": per_node, "cores": cores}
    hosts = tuple(
        Host(name or None, accelerators=tuple(Accelerator(i) for i in range(len(devices))))
        for name, devices in files.items()
    )
    return Reading("slurm", hosts, facts | {"autodetect": found[1] if found else None})


def read_sinfo(document: Document) -> Reading:
    """A node may stand in several partitions: the richest row counts, not their sum."""
    best: list[tuple[str, str]] = []
    for line in document.lines[1:]:
        listed = GRES.findall(line)
        best = max(best, listed, key=lambda found: sum(int(count) for _kind, count in found))
    facts = {"gpus": sum(int(count) for _kind, count in best), "types": len({kind for kind, _count in best})}
    return Reading("slurm", facts=facts)


def expand(text: str) -> Iterator[str]:
    """Slurm's host lists: `node[01-02,7],login` and `/dev/nvidia[0-1]`."""
    for part in re.findall(r"[^,\[\]]*(?:\[[^\]]*\][^,\[\]]*)?", text):
        match = re.fullmatch(r"([^\[]*)\[([^\]]*)\](.*)", part)
        if not match:
            yield from [part] if part else []
            continue
        for span in match[2].split(","):
            first, _, last = span.partition("-")
            if first.isdecimal() and (last or first).isdecimal():
                for number in range(int(first), min(int(last or first), int(first) + 65_535) + 1):
                    yield f"{match[1]}{number:0{len(first)}d}{match[3]}"
