"""Which block devices are really there, and how deep are their queues?

Devices that only stand for others are left out: loop, ram and zram disks, device mapper and RAID
volumes, optical drives, NVMe path nodes (nvmeXcYnZ) and anything of size 0.
"""

import os
import re
from pathlib import Path

from alldata.agent.probe import nvme_controller, pcie
from alldata.agent.probe.tree import Tree
from alldata.agent.wire import AttributeValue, Capacity, Device

SECTOR = 512  # /sys counts in 512-byte sectors on every drive
PSEUDO = re.compile(r"(loop|ram|zram|dm-|md|sr|fd|nbd|mtdblock)\d+|nvme\d+c\d+n\d+")
_NOT_MEASURED = Capacity(None, "measured", "missing", reason="not_calibrated")
_INTERFACES = (("nvme", "nvme"), ("virtio", "virtio"), ("usb", "usb"), ("ata", "sata"), ("mmc", "mmc"))


def names(tree: Tree) -> tuple[str, ...]:
    """The kernel names of the block devices that hold data themselves."""
    return tuple(
        name
        for name in tree.names("sys/block")
        if not PSEUDO.fullmatch(name) and (tree.number(f"sys/block/{name}/size") or 0) > 0
    )


def devices(tree: Tree, node: str) -> tuple[tuple[Device, ...], dict[str, pcie.Place]]:
    """The drives, and the PCIe places of those that sit in a slot of their own."""
    found, places = [], {}
    for name in names(tree):
        address = pcie.address_of(tree.real(f"sys/block/{name}"))
        place = pcie.place(tree, address) if address else None
        drive = _drive(tree, node, name, place)
        found.append(drive)
        if place is not None:
            places[drive.uuid] = place
    return tuple(found), places


def _drive(tree: Tree, node: str, name: str, place: pcie.Place | None) -> Device:
    where = f"sys/block/{name}"
    controller = nvme_controller.of(tree, name)
    model = tree.text(f"{where}/device/model") or (controller.model if controller else None)
    port = place.root_port if place else None
    slots = _queue_slots(tree, name)
    return Device(
        uuid=f"{node}/storage/{name}",
        type="storage",
        name=name,
        numa_node=place.numa_node if place else (controller.numa_node if controller else None),
        parent=pcie.port_uuid(node, port) if port else None,
        vendor=tree.text(f"{where}/device/vendor"),
        model=" ".join(model.split()) if model else None,
        attributes=(controller.attributes if controller else {})
        | _attributes(tree, name)
        | (place.attributes if place else {}),
        capacities={
            "storage_bytes": Capacity((tree.number(f"{where}/size") or 0) * SECTOR, "sysfs", "measured"),
            "storage_iops": _NOT_MEASURED,
            "storage_bandwidth": _NOT_MEASURED,
            "storage_queue_slots": Capacity(slots, "sysfs", "measured")
            if slots
            else Capacity(None, "sysfs", "missing", reason="queue_unknown"),
        },
    )


def _attributes(tree: Tree, name: str) -> dict[str, AttributeValue]:
    queue = f"sys/block/{name}/queue"
    found: dict[str, AttributeValue] = {"interface": _interface(tree, name)}
    scheduler = re.search(r"\[(\S+)\]", tree.text(f"{queue}/scheduler") or "")
    if scheduler:
        found["scheduler"] = scheduler[1]
    rotational = tree.number(f"{queue}/rotational")
    if rotational is not None:
        found["rotational"] = bool(rotational)
    depth = _depth(tree, name)
    if depth:
        found["queue_depth"] = depth
        found["hardware_queues"] = _hardware_queues(tree, name)
    return found


def _interface(tree: Tree, name: str) -> str:
    steps = (tree.real(f"sys/block/{name}") or name).split("/")
    buses = (kind for mark, kind in _INTERFACES if any(re.fullmatch(rf"{mark}[\dn-]*", step) for step in steps))
    return next(buses, "scsi" if name.startswith("sd") else "other")


def _depth(tree: Tree, name: str) -> int | None:
    """Entries of one queue really in force: the block layer's or the drive's, whichever is less."""
    known = [tree.number(f"sys/block/{name}/queue/nr_requests")]
    controller = re.match(r"(nvme\d+)n\d+", name)
    if controller:
        entries = tree.number(f"sys/class/nvme/{controller[1]}/sqsize")
        known.append(entries + 1 if entries else None)
    return min((number for number in known if number and number > 0), default=None)


def _hardware_queues(tree: Tree, name: str) -> int:
    controller = re.match(r"(nvme\d+)n\d+", name)
    counted = tree.number(f"sys/class/nvme/{controller[1]}/queue_count") if controller else None
    if counted and counted > 1:
        return counted - 1  # the admin queue is counted too
    return max(1, len(tree.names(f"sys/block/{name}/mq")))


def _queue_slots(tree: Tree, name: str) -> int | None:
    depth = _depth(tree, name)
    return depth * _hardware_queues(tree, name) if depth else None


def backing(tree: Tree, directory: Path) -> str | None:
    """The block device that holds a directory: below its partition and mappings; None if unknown."""
    try:
        number = os.stat(directory).st_dev
    except OSError:
        return None
    found = _whole(tree, f"sys/dev/block/{os.major(number)}:{os.minor(number)}")
    present = names(tree)
    if found in present:
        return found
    return present[0] if len(present) == 1 else None  # overlay and the like: the only drive there is


def _whole(tree: Tree, where: str, depth: int = 0) -> str | None:
    path = tree.real(where)
    if path is None or depth > 8:
        return None
    if tree.has(f"{path}/partition"):
        path = path.rpartition("/")[0]
    below = tree.names(f"{path}/slaves")
    return _whole(tree, f"{path}/slaves/{below[0]}", depth + 1) if below else path.rpartition("/")[2]
