"""What does an NVMe controller say beyond its block device: model, transport, the depth its hardware can do?

CAP.MQES stands in the controller's first register, which only root may map (kernel lockdown forbids even that);
elsewhere the greatest depth stays unknown. `sqsize` is what the driver really uses.
"""

import mmap
import re
from dataclasses import dataclass, field

from alldata.agent.probe import pcie
from alldata.agent.probe.families import family_of
from alldata.agent.probe.tree import Tree
from alldata.agent.wire import AttributeValue

_NAME = re.compile(r"(nvme\d+)(?:c\d+)?n\d+")
#: A register that reads as all ones belongs to a device that does not answer.
_SILENT = 0xFFFF_FFFF


@dataclass(frozen=True, slots=True)
class Controller:
    """The controller behind a namespace."""

    model: str | None
    numa_node: int | None
    attributes: dict[str, AttributeValue] = field(default_factory=dict)


def of(tree: Tree, block: str) -> Controller | None:
    """The controller of `nvme0n1`; None for other drives."""
    match = _NAME.fullmatch(block)
    if match is None:
        return None
    where = f"sys/class/nvme/{match[1]}"
    model = " ".join((tree.text(f"{where}/model") or "").split()) or None
    numa = tree.number(f"{where}/numa_node")
    found: dict[str, AttributeValue] = {}
    for name, file in (("transport", "transport"), ("firmware", "firmware_rev"), ("nvme_state", "state")):
        text = tree.text(f"{where}/{file}")
        if text:
            found[name] = text
    address = tree.text(f"{where}/address") or ""
    if re.fullmatch(r"[0-9a-fA-F]{4,8}:[0-9a-fA-F]{2}:[0-9a-fA-F]{2}\.[0-7]", address):
        found["pci_bus_id"] = pcie.normal_address(address)
    family = family_of(model)
    if family:
        found["family"] = family
    most = most_entries(tree, where)
    if most:
        found["max_queue_entries"] = most
    return Controller(model, None if numa is None or numa < 0 else numa, found)


def most_entries(tree: Tree, where: str) -> int | None:
    """CAP.MQES + 1: entries that one queue can have. None where the register cannot be read."""
    try:
        with (
            open(tree.root / where / "device/resource0", "rb") as file,
            mmap.mmap(file.fileno(), mmap.PAGESIZE, prot=mmap.PROT_READ) as page,
            memoryview(page) as bytes_,
            bytes_.cast("I") as words,
        ):
            low = words[0]
    except (OSError, ValueError):
        return None
    return None if low == _SILENT else (low & 0xFFFF) + 1
