"""What would this machine register, had an agent looked at it?

Every device is marked imported and degraded for that reason: the portal shows it, nothing is placed on it. Its id
begins with the node's name, so an import never takes a device away from a running agent. What no file says is missing.
"""

from collections.abc import Iterable
from dataclasses import replace

from alldata.agent.imported.merge import chosen_name, merged
from alldata.agent.imported.parts import accelerators, adapters, drives, links, pools
from alldata.agent.probe.machine import Machine
from alldata.agent.readers.records import Cell, Host, Reading
from alldata.agent.version import VERSION
from alldata.agent.wire import Device, NumaNode, Register

ENGINE = "imported"
PREFIX = "imported-"
LONGEST_MODEL = 120
#: More cores than any machine has: such a number is a slip.
MOST_CORES = 16_384


def node_name(readings: Iterable[Reading], *, wanted: str | None, host: str | None) -> str:
    """The name the node will have. Errors: Ambiguous."""
    own = chosen_name(readings, host)
    return wanted or f"{PREFIX}{own or 'machine'}"


def build(readings: tuple[Reading, ...], node: str, host: str | None = None) -> Register:
    """The message for everything the files say of one machine. Errors: Ambiguous."""
    name = chosen_name(readings, host)
    found = merged(readings, name)
    machine = next((reading.machine for reading in readings if reading.machine is not None), None)
    devices = _devices(node, found, machine)
    numa = _numa(found, machine)
    return Register(
        hostname=name or (machine.hostname if machine else node),
        boot_id=ENGINE,
        epoch=f"{ENGINE}:0",
        cores=max(1, sum(len(cell.cpus) for cell in numa)),
        numa=numa,
        devices=tuple(_marked(device) for device in devices),
        sampling_ms=1_000,
        window_ms=2_000,
        links=(*(machine.links if machine else ()), *links(node, found)),
        engine=ENGINE,
        versions={**_versions(machine), **found.versions, "agent": VERSION},
        limits={**(machine.limits if machine else {}), **found.attributes},
        gaps=("imported_from_files", *_gaps(devices)),
    )


def _numa(found: Host, machine: Machine | None) -> tuple[NumaNode, ...]:
    if machine is not None and any(pool.cpus for pool in machine.pools):
        return tuple(pool.as_wire() for pool in machine.pools)
    return tuple(_as_wire(cell) for cell in cells_of(found))


def _as_wire(cell: Cell) -> NumaNode:
    near = {str(node): distance for node, distance in cell.distances.items()}
    return NumaNode(cell.node, cell.cpus or (), cell.memory_bytes, near)


def cells_of(found: Host) -> tuple[Cell, ...]:
    """The NUMA nodes; one pool of all cores where the files know of none."""
    if found.cells:
        return found.cells
    told = found.cores or (found.processor.threads if found.processor else None) or 0
    cores = told if 0 < told <= MOST_CORES else 0
    return (Cell(0, tuple(range(cores)), found.memory_bytes),) if cores or found.memory_bytes else ()


def _devices(node: str, found: Host, machine: Machine | None) -> tuple[Device, ...]:
    """A recorded tree gives the machine, command outputs the rest; cards are taken from where they are known better."""
    own = machine.devices if machine is not None else ()
    has_cores = any(device.type == "cpu" and device.attributes.get("threads") for device in own)
    base = () if has_cores else pools(node, found, cells_of(found))
    kept = tuple(d for d in own if (d.type not in ("cpu", "memory") or has_cores) and not _known_better(d, found))
    names = {device.uuid for device in kept}
    added = (*base, *accelerators(node, found), *drives(node, found), *adapters(node, found))
    return (*kept, *(device for device in added if device.uuid not in names))


def _known_better(device: Device, found: Host) -> bool:
    return device.type == "gpu" and bool(found.accelerators)


def _marked(device: Device) -> Device:
    """Imported, so not to be placed on; words from files are cut to what a portal stores."""
    attributes = dict(device.attributes) | {"imported": True}
    model = device.model[:LONGEST_MODEL] if device.model else None
    if device.health != "ok":
        return replace(device, model=model, attributes=attributes)
    return replace(device, model=model, attributes=attributes, health="degraded", degraded_reason=ENGINE)


def _versions(machine: Machine | None) -> dict[str, str]:
    """The recorded kernel; the Python that reads the recording is not the machine's."""
    return {name: text for name, text in (machine.versions if machine else {}).items() if name != "python"}


def _gaps(devices: tuple[Device, ...]) -> tuple[str, ...]:
    kinds = {device.type for device in devices}
    return tuple(f"no_{kind}_found" for kind in ("cpu", "memory", "storage") if kind not in kinds)
