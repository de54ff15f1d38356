"""What does Slurm say of its nodes: `scontrol show node`, also in its one-line form (-o)?"""

import re

from alldata.agent.readers import slurm_gres
from alldata.agent.readers.document import Document
from alldata.agent.readers.quantities import MIB, told, whole
from alldata.agent.readers.records import Accelerator, Facts, Host, Reading
from alldata.agent.wire import AttributeValue

_TRES = re.compile(r"gres/gpu=(\d+)")
_BAD = {"DOWN", "DRAIN", "DRAINED", "DRAINING", "FAIL", "FAILING", "MAINT", "NOT_RESPONDING", "POWERED_DOWN", "UNKNOWN"}
_BAD |= {"POWERING_DOWN", "REBOOT", "INVAL", "ERROR", "FUTURE", "PERFCTRS", "RESERVED"}


def recognises(document: Document) -> bool:
    return re.search(r"^NodeName=|^AutoDetect=|^Name=gpu|^PARTITION\b.*\bGRES\b", document.text, re.M) is not None


def read(document: Document) -> Reading:
    if re.search(r"^PARTITION\b", document.text, re.M):
        return slurm_gres.read_sinfo(document)
    if re.search(r"^(NodeName=.*\bName=gpu|AutoDetect=|Name=gpu)", document.text, re.M):
        return slurm_gres.read_gres(document)
    return _read_nodes(document)


def _read_nodes(document: Document) -> Reading:
    records = []
    for chunk in re.split(r"(?m)^(?=NodeName=)", document.text):
        fields = {name: value for line in chunk.split("\n") for name, value in slurm_gres.PAIR.findall(line)}
        if "NodeName" in fields:
            records.append(fields)
    hosts = tuple(_host(fields) for fields in records)
    facts = _facts(records[0]) if len(records) == 1 else {"nodes": len(records)}
    return Reading("slurm", hosts, facts)


def _gpus(fields: dict[str, str]) -> list[tuple[str | None, int]]:
    """(type, count) from Gres, else from the configured TRES."""
    listed = [(kind or None, int(count)) for kind, count in slurm_gres.GRES.findall(fields.get("Gres", ""))]
    total = _total(fields.get("CfgTRES", ""))
    return listed if listed or not total else [(None, total)]


def _total(tres: str) -> int:
    """Cards of a TRES list: the plain entry, else the sum of the typed ones."""
    plain = _TRES.search(tres)
    return int(plain[1]) if plain else sum(map(int, re.findall(r"gres/gpu:[^=,]+=(\d+)", tres)))


def _states(fields: dict[str, str]) -> tuple[list[str], bool]:
    """The parts of a compound state, and whether jobs are started there now."""
    text = fields.get("State", "UNKNOWN")
    parts = [part.strip("*~#!%$@^-") for part in text.split("+")]
    return parts, not (set(parts) & _BAD) and "*" not in text


def _facts(fields: dict[str, str]) -> Facts:
    states, schedulable = _states(fields)
    configured = dict(part.split("=", 1) for part in fields.get("CfgTRES", "").split(",") if "=" in part)
    return {
        "gpus": sum(count for _kind, count in _gpus(fields)),
        "gpus_alloc": _total(fields["AllocTRES"]) if "AllocTRES" in fields else None,
        "cpus": whole(fields.get("CPUTot")) or whole(configured.get("cpu")),
        "mem_mb": whole(fields.get("RealMemory")),
        "state": states[0] if len(states) == 1 else states,
        "schedulable": schedulable,
        "reason": told(fields.get("Reason")),
    }


def _host(fields: dict[str, str]) -> Host:
    facts = _facts(fields)
    cards = [kind for kind, count in _gpus(fields) for _ in range(count)]
    memory = whole(fields.get("RealMemory"))
    states = facts["state"] if isinstance(facts["state"], str) else "+".join(facts["state"])
    attributes: dict[str, AttributeValue] = {"slurm_state": states, "schedulable": bool(facts["schedulable"])}
    if facts["reason"]:
        attributes["slurm_reason"] = str(facts["reason"])
    return Host(
        name=fields.get("NodeHostName") or fields["NodeName"],
        cores=facts["cpus"],
        memory_bytes=memory * MIB if memory else None,
        accelerators=tuple(
            Accelerator(index, attributes={"gres_type": kind} if kind else {}) for index, kind in enumerate(cards)
        ),
        attributes=attributes,
        versions={"slurm": fields["Version"]} if told(fields.get("Version")) else {},
    )
