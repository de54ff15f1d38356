"""Which parts told of by two files are the same part, and what is known of it together? Ours win, theirs fill gaps."""

from dataclasses import replace

from alldata.agent.readers.records import Accelerator, Adapter, Cell, Drive, Processor

_ORDER = {"ok": 0, "degraded": 1, "lost": 2}


def processor(ours: Processor | None, theirs: Processor | None) -> Processor | None:
    if ours is None or theirs is None:
        return ours or theirs
    return Processor(
        ours.model or theirs.model,
        ours.vendor or theirs.vendor,
        ours.sockets or theirs.sockets,
        ours.cores or theirs.cores,
        ours.threads or theirs.threads,
    )


def _same(ours: Accelerator, theirs: Accelerator) -> bool:
    for mine, other in ((ours.uuid, theirs.uuid), (ours.bus, theirs.bus)):
        if mine and other:
            return mine == other
    return ours.index == theirs.index >= 0


def cards(ours: tuple[Accelerator, ...], theirs: tuple[Accelerator, ...]) -> tuple[Accelerator, ...]:
    found = list(ours)
    for card in theirs:
        place = next((i for i, known in enumerate(found) if _same(known, card)), None)
        if place is None:
            found.append(card)
        else:
            found[place] = _card(found[place], card)
    return tuple(found)


def _card(ours: Accelerator, theirs: Accelerator) -> Accelerator:
    worse = theirs if _ORDER[theirs.health] > _ORDER[ours.health] else ours
    return replace(
        ours,
        index=ours.index if ours.index >= 0 else theirs.index,
        uuid=ours.uuid or theirs.uuid,
        model=ours.model or theirs.model,
        bus=ours.bus or theirs.bus,
        memory_bytes=ours.memory_bytes or theirs.memory_bytes,
        numa_node=ours.numa_node if ours.numa_node is not None else theirs.numa_node,
        pcie_bandwidth=ours.pcie_bandwidth or theirs.pcie_bandwidth,
        mig=ours.mig or theirs.mig,
        attributes=dict(theirs.attributes) | dict(ours.attributes),
        health=worse.health,
        reason=worse.reason,
    )


def cells(ours: tuple[Cell, ...], theirs: tuple[Cell, ...]) -> tuple[Cell, ...]:
    found = {cell.node: cell for cell in theirs}
    for cell in ours:
        other = found.get(cell.node, cell)
        found[cell.node] = Cell(
            cell.node,
            cell.cpus if cell.cpus is not None else other.cpus,
            cell.memory_bytes if cell.memory_bytes is not None else other.memory_bytes,
            cell.distances or other.distances,
        )
    return tuple(found[node] for node in sorted(found))


def drives(ours: tuple[Drive, ...], theirs: tuple[Drive, ...]) -> tuple[Drive, ...]:
    found = {drive.name: drive for drive in theirs}
    for drive in ours:
        other = found.get(drive.name, drive)
        found[drive.name] = Drive(
            drive.name,
            drive.model or other.model,
            drive.size_bytes or other.size_bytes,
            drive.bus or other.bus,
            dict(other.attributes) | dict(drive.attributes),
        )
    return tuple(found[name] for name in sorted(found))


def adapters(ours: tuple[Adapter, ...], theirs: tuple[Adapter, ...]) -> tuple[Adapter, ...]:
    found = {card.name: card for card in theirs}
    for card in ours:
        other = found.get(card.name, card)
        merged_attributes = dict(other.attributes) | dict(card.attributes)
        found[card.name] = Adapter(
            card.name, card.bandwidth or other.bandwidth, card.bus or other.bus, merged_attributes
        )
    return tuple(found[name] for name in sorted(found))
