"""Which accelerators of other makers sit on the bus? They are shown, not given out: this agent cannot meter them.

AMD's kernel driver tells the memory's size; of the others only the place is known.
"""

from alldata.agent.probe import pcie
from alldata.agent.probe.tree import Tree
from alldata.agent.wire import Capacity, Device

_MAKERS = {"0x1002": "AMD", "0x19e5": "Huawei", "0x1da3": "Habana", "0x1d94": "Hygon"}
#: PCI classes: 3D controller, other display controller, processing accelerator. VGA is what the console hangs on.
_CLASSES = ("0x0302", "0x0380", "0x1200")
REASON = "maker_not_metered"


def devices(tree: Tree, node: str) -> tuple[tuple[Device, ...], dict[str, pcie.Place]]:
    """The cards and their places."""
    found, places = [], {}
    for address in tree.names(pcie.DEVICES):
        where = f"{pcie.DEVICES}/{address}"
        maker = _MAKERS.get(tree.text(f"{where}/vendor") or "")
        if maker and (tree.text(f"{where}/class") or "").startswith(_CLASSES):
            place = pcie.place(tree, address)
            found.append(_card(tree, node, maker, place))
            places[found[-1].uuid] = place
    return tuple(found), places


def _card(tree: Tree, node: str, maker: str, place: pcie.Place) -> Device:
    where = f"{pcie.DEVICES}/{place.address}"
    memory = tree.number(f"{where}/mem_info_vram_total")
    missing = Capacity(None, "sysfs", "missing", reason=REASON)
    return Device(
        uuid=f"{node}/gpu/{place.address}",
        type="gpu",
        name=f"{maker} card {place.address}",
        numa_node=place.numa_node,
        parent=pcie.port_uuid(node, place.root_port) if place.root_port else None,
        vendor=maker,
        model=tree.text(f"{where}/product_name") or f"PCI {tree.text(f'{where}/device') or 'unknown'}",
        attributes=place.attributes | {"kernel_driver": pcie.driver_of(tree, place.address) or "none"},
        capacities={
            "gpu_sm": missing,
            "gpu_memory_bytes": Capacity(memory, "sysfs", "measured") if memory else missing,
            "pcie_bandwidth": place.bandwidth,
        },
        health="degraded",
        degraded_reason=REASON,
    )
