"""Which machine do these files describe together?

Files that name no machine are taken to be of the chosen one. Accelerators are the same when their UUID or PCI address
agree, or, where neither contradicts, their index (nvidia-smi and topo count in one order). What an earlier file says
wins; later files only fill gaps, except for bad news: a card that any file calls lost is lost.
"""

from collections import Counter
from collections.abc import Iterable
from dataclasses import replace

from alldata.agent.readers.records import Accelerator, Adapter, Cell, Drive, Host, Processor, Reading

_ORDER = {"ok": 0, "degraded": 1, "lost": 2}


class Ambiguous(ValueError):
    """The files describe several machines; one of them must be chosen."""

    def __init__(self, names: tuple[str, ...]) -> None:
        super().__init__(names)
        self.names = names

    def __str__(self) -> str:
        return f"the files describe {len(self.names)} machines; choose one with --host: {', '.join(self.names[:20])}"


def chosen_name(readings: Iterable[Reading], wanted: str | None) -> str | None:
    """The machine's name: the wanted one, else the only one that is named. Errors: Ambiguous."""
    names = tuple(dict.fromkeys(host.name for reading in readings for host in reading.hosts if host.name))
    if wanted is not None:
        if names and wanted not in names:
            raise Ambiguous(names)
        return wanted
    if len(names) > 1:
        raise Ambiguous(names)
    return names[0] if names else None


def merged(readings: Iterable[Reading], name: str | None) -> Host:
    """All that the files say of one machine."""
    found = Host(name)
    for reading in readings:
        for host in reading.hosts:
            if host.name in (None, name):
                found = _joined(found, _with_source(host, reading.kind))
    return found


def _with_source(host: Host, kind: str) -> Host:
    """Accelerators remember which kind of file told of them first; ids that were scrubbed to one value are dropped."""
    uses = Counter(card.uuid for card in host.accelerators)
    cards = tuple(
        replace(
            card,
            uuid=card.uuid if uses[card.uuid] == 1 else None,
            attributes={"told_by": kind} | dict(card.attributes),
        )
        for card in host.accelerators
    )
    return replace(host, accelerators=cards)


def _joined(ours: Host, theirs: Host) -> Host:
    return Host(
        name=ours.name,
        cores=ours.cores or theirs.cores,
        memory_bytes=ours.memory_bytes or theirs.memory_bytes,
        processor=_processor(ours.processor, theirs.processor),
        accelerators=_cards(ours.accelerators, theirs.accelerators),
        cells=_cells(ours.cells, theirs.cells),
        drives=_drives(ours.drives, theirs.drives),
        adapters=_adapters(ours.adapters, theirs.adapters),
        pairs=ours.pairs or theirs.pairs,
        attributes=dict(theirs.attributes) | dict(ours.attributes),
        versions=dict(theirs.versions) | dict(ours.versions),
    )


def _processor(ours: Processor | None, theirs: Processor | None) -> Processor | None:
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


def _cards(ours: tuple[Accelerator, ...], theirs: tuple[Accelerator, ...]) -> tuple[Accelerator, ...]:
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


def _cells(ours: tuple[Cell, ...], theirs: tuple[Cell, ...]) -> tuple[Cell, ...]:
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


def _drives(ours: tuple[Drive, ...], theirs: tuple[Drive, ...]) -> tuple[Drive, ...]:
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


def _adapters(ours: tuple[Adapter, ...], theirs: tuple[Adapter, ...]) -> tuple[Adapter, ...]:
    found = {card.name: card for card in theirs}
    for card in ours:
        other = found.get(card.name, card)
        merged_attributes = dict(other.attributes) | dict(card.attributes)
        found[card.name] = Adapter(
            card.name, card.bandwidth or other.bandwidth, card.bus or other.bus, merged_attributes
        )
    return tuple(found[name] for name in sorted(found))
