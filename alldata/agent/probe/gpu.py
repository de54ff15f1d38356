"""Which GPUs are there, what can they do, and which of them must not be used?

Asked of the driver (NVML), placed by sysfs. A card that sits on the bus but that the driver does
not answer for is still a device: degraded or lost, with the reason, without capacities.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from alldata.agent.probe import gpu_facts, health, mig, nvlink, pcie
from alldata.agent.probe.nvml import Answer, Nvml
from alldata.agent.probe.tree import Tree
from alldata.agent.wire import Capacity, Device, Link

NVIDIA = "0x10de"
_DISPLAY = "0x03"  # PCI class: VGA and 3D controllers


@dataclass(frozen=True, slots=True)
class Card:
    """A device with its PCIe place, if it has one, the ends of its NVLinks and its MIG devices."""

    device: Device
    place: pcie.Place | None
    ends: nvlink.Ends = nvlink.NONE
    parts: tuple[Device, ...] = ()


def cards(
    tree: Tree, node: str, nvml: Nvml | None, why_not: str, xids: Mapping[str, int] | None = None
) -> tuple[Card, ...]:
    """Every NVIDIA card on the bus or known to the driver; `xids` are errors seen, by uuid."""
    handles = nvml.cards() if nvml else []
    known = [
        _card(tree, node, nvml, (index, handle, xids or {}))
        for index, handle in handles
        if nvml and handle.value is not None
    ]
    seen = {card.place.address for card in known if card.place}
    failed = [(index, handle.reason or "unknown_error") for index, handle in handles if handle.value is None]
    for address in _on_bus(tree):
        if address not in seen:  # the driver does not say which card an unanswered index is
            reason = failed.pop(0)[1] if failed else why_not or "driver_does_not_list_it"
            known.append(_silent_card(tree, node, address, reason))
    return (*known, *(_absent_card(node, index, reason) for index, reason in failed))


def links(found: tuple[Card, ...]) -> tuple[Link, ...]:
    """The NVLinks among the cards."""
    return nvlink.links({c.device.uuid: (c.place.address if c.place else None, c.ends) for c in found if c.ends.count})


def _on_bus(tree: Tree) -> list[str]:
    found = []
    for address in tree.names(pcie.DEVICES):
        where = f"{pcie.DEVICES}/{address}"
        kind = tree.text(f"{where}/class") or ""
        if tree.text(f"{where}/vendor") == NVIDIA and kind.startswith(_DISPLAY):
            found.append(address)
    return found


def _silent_card(tree: Tree, node: str, address: str, reason: str) -> Card:
    """The driver's own notes in /proc may still tell the model where NVML does not answer."""
    place = pcie.place(tree, address)
    notes = tree.fields(f"proc/driver/nvidia/gpus/{address}/information")
    if pcie.driver_of(tree, address) == "nouveau":
        reason = "nouveau_drives_it"
    return Card(
        Device(
            uuid=f"{node}/gpu/{address}",
            type="gpu",
            name=f"NVIDIA card {address}",
            numa_node=place.numa_node,
            vendor="NVIDIA",
            model=notes.get("Model"),
            attributes=place.attributes,
            capacities={"gpu_sm": Capacity(None, "driver", "missing", reason=reason)},
            health=health.health_for(reason),
            degraded_reason=reason,
        ),
        place,
    )


def _absent_card(node: str, index: int, reason: str) -> Card:
    """The driver counts it, but neither the driver nor the bus says more."""
    state = health.health_for(reason)
    return Card(Device(f"{node}/gpu/{index}", "gpu", f"gpu{index}", health=state, degraded_reason=reason), None)


def _card(tree: Tree, node: str, nvml: Nvml, known: tuple[int, Answer, Mapping[str, int]]) -> Card:
    index, handle, xids = known
    uuid = nvml.ask("DeviceGetUUID", handle.value)
    bus = nvml.ask("DeviceGetPciInfo", handle.value).value
    place = pcie.place(tree, pcie.normal_address(_text(bus.busId))) if bus else None
    driver = nvml.ask("SystemGetDriverVersion").value or ""
    model = nvml.ask("DeviceGetName", handle.value).value
    ends = nvlink.ends(nvml, handle.value)
    state, reason = health.health(nvml, handle.value, uuid, xids.get(uuid.value or ""))
    too_old = health.below_floor(model or "", driver)
    capacities = gpu_facts.capacities(nvml, handle.value, ends)
    port = place.root_port if place else None
    device = Device(
        uuid=uuid.value or f"{node}/gpu/{index}",
        type="gpu",
        name=f"gpu{index}",
        numa_node=place.numa_node if place else None,
        parent=pcie.port_uuid(node, port) if port else None,
        vendor="NVIDIA",
        model=model,
        attributes=gpu_facts.attributes(nvml, handle.value, driver) | (place.attributes if place else {}),
        capacities=health.without_bandwidths(capacities, too_old) if too_old else capacities,
        health="degraded" if too_old and state == "ok" else state,
        degraded_reason=reason or too_old,
    )
    return _with_parts(nvml, handle.value, Card(device, place, ends))


def _with_parts(nvml: Nvml, handle: object, card: Card) -> Card:
    if not card.device.attributes.get("mig"):
        return card
    parts = tuple(mig.parts(nvml, handle, card.device))
    return replace(card, device=mig.split(card.device, len(parts)), parts=parts)


def _text(value: object) -> str:
    return value.decode() if isinstance(value, bytes) else str(value)
