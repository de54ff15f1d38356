"""How does each part of an imported machine look as a device, with what is known and why the rest is not?"""

from collections.abc import Mapping

from alldata.agent.probe.families import family_of
from alldata.agent.probe.tree import show_list
from alldata.agent.readers.records import Accelerator, Adapter, Cell, Drive, Host
from alldata.agent.wire import AttributeValue, Capacity, Device, Link, Quality, Source

WHOLE = 1_000_000
_UNTOLD = "not_in_the_files"


def _known(value: int | None, source: Source = "driver", quality: Quality = "measured") -> Capacity:
    if value is None:
        return Capacity(None, source, "missing", reason=_UNTOLD)
    return Capacity(value, source, quality)


def pools(node: str, host: Host, cells: tuple[Cell, ...]) -> tuple[Device, ...]:
    """Cores and memory of each NUMA node. A total that nobody split is shared out evenly, and called estimated."""
    holders = [cell for cell in cells if cell.memory_bytes is None and cell.cpus != ()]
    unsplit = host.memory_bytes is not None and len(holders) == len([c for c in cells if c.cpus != ()])
    found: list[Device] = []
    for cell in cells:
        if cell.cpus:
            found.append(_cores(node, host, cell))
        memory = _known(cell.memory_bytes, "sysfs")
        if cell.memory_bytes is None and unsplit and cell in holders:
            memory = _known((host.memory_bytes or 0) // len(holders), "estimated", "estimated")
        if cell.memory_bytes != 0 and (memory.value or cell.cpus):
            found.append(_memory(node, cell, memory))
    return tuple(found)


def _cores(node: str, host: Host, cell: Cell) -> Device:
    cpus = cell.cpus or ()
    processor = host.processor
    attributes: dict[str, AttributeValue] = {"cpus": show_list(cpus), "threads": len(cpus)}
    if processor and processor.cores and processor.threads:
        attributes["cores"] = max(1, len(cpus) * processor.cores // processor.threads)
    return Device(
        uuid=f"{node}/numa{cell.node}/cpu",
        type="cpu",
        name=f"numa{cell.node} cores",
        numa_node=cell.node,
        vendor=processor.vendor if processor else None,
        model=processor.model if processor else None,
        attributes=attributes,
        capacities={"cpu_millicores": Capacity(1000 * len(cpus), "sysfs", "measured")},
    )


def _memory(node: str, cell: Cell, amount: Capacity) -> Device:
    return Device(
        uuid=f"{node}/numa{cell.node}/memory",
        type="memory",
        name=f"numa{cell.node} memory",
        numa_node=cell.node,
        attributes={"memory_only": cell.cpus == ()},
        capacities={"memory_bytes": amount, "memory_bandwidth": _known(None, "measured")},
    )


def card_uuid(node: str, card: Accelerator) -> str:
    return f"{node}/gpu/{card.uuid or card.bus or card.index}"


def accelerators(node: str, host: Host) -> tuple[Device, ...]:
    return tuple(_card(node, place, card) for place, card in enumerate(host.accelerators))


def _card(node: str, place: int, card: Accelerator) -> Device:
    plain: Mapping[str, AttributeValue | None] = {
        "uuid": card.uuid,
        "pci_bus_id": card.bus,
        "mig": True if card.mig else None,
        "mig_devices": len(card.mig) or None,
        "mig_profiles": ",".join(card.mig) or None,
    }
    told = {name: value for name, value in plain.items() if value is not None}
    return Device(
        uuid=card_uuid(node, card),
        type="gpu",
        name=f"gpu{card.index if card.index >= 0 else place}",
        numa_node=card.numa_node,
        vendor=card.vendor,
        model=card.model,
        attributes=dict(card.attributes) | told,
        capacities={
            "gpu_sm": _known(WHOLE),
            "gpu_memory_bytes": _known(card.memory_bytes),
            "hbm_bandwidth": _known(None),
            "pcie_bandwidth": _known(card.pcie_bandwidth),
        },
        health=card.health,
        degraded_reason=card.reason,
    )


def drives(node: str, host: Host) -> tuple[Device, ...]:
    return tuple(_drive(node, drive) for drive in host.drives)


def _drive(node: str, drive: Drive) -> Device:
    family = family_of(drive.model)
    attributes = dict(drive.attributes) | ({"family": family} if family else {})
    return Device(
        uuid=f"{node}/storage/{drive.name}",
        type="storage",
        name=drive.name,
        model=drive.model,
        attributes=attributes | ({"pci_bus_id": drive.bus} if drive.bus else {}),
        capacities={
            "storage_bytes": _known(drive.size_bytes, "sysfs"),
            "storage_iops": _known(None, "measured"),
            "storage_bandwidth": _known(None, "measured"),
            "storage_queue_slots": _known(None, "sysfs"),
        },
    )


def adapters(node: str, host: Host) -> tuple[Device, ...]:
    return tuple(_adapter(node, card) for card in host.adapters)


def _adapter(node: str, card: Adapter) -> Device:
    return Device(
        uuid=f"{node}/net/{card.name}",
        type="network",
        name=card.name,
        attributes=dict(card.attributes) | ({"pci_bus_id": card.bus} if card.bus else {}),
        capacities={"network_bandwidth": _known(card.bandwidth)},
    )


def links(node: str, host: Host) -> tuple[Link, ...]:
    """Direct links between cards; a link's speed is the model's, so only their number is told."""
    by_index = {card.index: card_uuid(node, card) for card in host.accelerators}
    return tuple(
        Link(
            "nvlink",
            by_index[pair.a],
            by_index[pair.b],
            {"nvlink_bandwidth": _known(None)},
            {"technology": pair.kind} | ({"links": pair.links} if pair.links else {}),
        )
        for pair in host.pairs
        if pair.a in by_index and pair.b in by_index
    )
