"""Which machine do these files describe together?

Files that name no machine are taken to be of the chosen one. Accelerators are the same when their UUID or PCI address
agree, or, where neither contradicts, their index (nvidia-smi and topo count in one order). What an earlier file says
wins; later files only fill gaps, except for bad news: a card that any file calls lost is lost.
"""

from collections import Counter
from collections.abc import Iterable
from dataclasses import replace

from alldata.agent.imported import same
from alldata.agent.readers.records import Host, Reading


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
        processor=same.processor(ours.processor, theirs.processor),
        accelerators=same.cards(ours.accelerators, theirs.accelerators),
        cells=same.cells(ours.cells, theirs.cells),
        drives=same.drives(ours.drives, theirs.drives),
        adapters=same.adapters(ours.adapters, theirs.adapters),
        pairs=ours.pairs or theirs.pairs,
        attributes=dict(theirs.attributes) | dict(ours.attributes),
        versions=dict(theirs.versions) | dict(ours.versions),
    )
