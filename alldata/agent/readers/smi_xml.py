"""What does `nvidia-smi -q -x` say? Schemas of drivers 384 to 595 differ in names; one card may be lost among many."""

import re
from xml.etree.ElementTree import Element

from alldata.agent.probe.pcie import generation_bandwidth, normal_address
from alldata.agent.readers.document import Document, xml_of
from alldata.agent.readers.quantities import mebibytes, told, whole
from alldata.agent.readers.records import Accelerator, Facts, Host, Reading
from alldata.agent.wire import AttributeValue, Health

KIND = "smi_xml"
#: Where a value stands, newest schema first.
_POWER: tuple[str, ...] = (
    "gpu_power_readings/current_power_limit",
    "gpu_power_readings/power_limit",
    "power_readings/power_limit",
)
_POWER += ("power_readings/current_power_limit", "power_readings/enforced_power_limit")
_LINK = "pci/pci_gpu_link_info"
_WHOLE_NUMBERS = {
    "max_mem_clock_mhz": ("max_clocks/mem_clock",),
    "max_sm_clock_mhz": ("max_clocks/sm_clock",),
    "pcie_gen_max": (f"{_LINK}/pcie_gen/max_link_gen",),
    "pcie_gen_cur": (f"{_LINK}/pcie_gen/current_link_gen",),
    "pcie_width_max": (f"{_LINK}/link_widths/max_link_width",),
    "pcie_width_cur": (f"{_LINK}/link_widths/current_link_width",),
    "gpu_util_pct": ("utilization/gpu_util",),
    "power_limit_w": _POWER,
}
_LOST = re.compile(r"gpu is lost", re.IGNORECASE)


def recognises(document: Document) -> bool:
    return "<nvidia_smi_log" in document.text[:4096]


def read(document: Document) -> Reading:
    root, complaints = xml_of(document)
    if root is None:
        return Reading(KIND, complaints=complaints)
    driver = told(root.findtext("driver_version"))
    nodes = [node for node in root.findall("gpu") if node.find("product_name") is not None]
    cards = tuple(_card(index, node, driver) for index, node in enumerate(nodes))
    versions = {"nvidia_driver": driver} if driver else {}
    host = Host(accelerators=cards, versions=versions)
    return Reading(KIND, (host,), _facts(root, nodes, cards), complaints)


def _text(node: Element, *paths: str) -> str | None:
    return next((value for path in paths if (value := told(node.findtext(path))) is not None), None)


def _facts(root: Element, nodes: list[Element], cards: tuple[Accelerator, ...]) -> Facts:
    well = [node for node, card in zip(nodes, cards, strict=True) if card.health != "lost"]
    shown = next(iter(well or nodes), None)
    facts = {
        "gpus": len(cards),
        "attached_gpus": whole(root.findtext("attached_gpus")),
        "driver": told(root.findtext("driver_version")),
        "cuda": told(root.findtext("cuda_version")),
        "mig_devices": sum(len(card.mig) for card in cards),
        "lost_gpus": sum(card.health == "lost" for card in cards),
        "healthy_gpus": sum(card.health == "ok" for card in cards),
    }
    if shown is None:
        return facts
    mode = shown.findtext("mig_mode/current_mig")
    return facts | {
        "name": _text(shown, "product_name"),
        "fb_total_mib": whole(shown.findtext("fb_memory_usage/total")),
        "fb_reserved_mib": whole(shown.findtext("fb_memory_usage/reserved")),
        "mig_current": mode.strip() if mode else None,
        **{name: whole(_text(shown, *paths)) for name, paths in _WHOLE_NUMBERS.items()},
    }


def _card(index: int, node: Element, driver: str | None) -> Accelerator:
    health, reason = _health(node)
    value = {name: whole(_text(node, *paths)) for name, paths in _WHOLE_NUMBERS.items()}
    bus = _text(node, "pci/pci_bus_id") or node.get("id")
    return Accelerator(
        index=index,
        uuid=_text(node, "uuid"),
        model=_text(node, "product_name"),
        bus=normal_address(bus) if bus else None,
        memory_bytes=mebibytes(_text(node, "fb_memory_usage/total")),
        pcie_bandwidth=generation_bandwidth(value["pcie_gen_max"] or 0, _lanes(value)),
        mig=tuple(_profile(part) for part in node.iter("mig_device")),
        attributes=_attributes(node, value) | ({"driver_version": driver} if driver else {}),
        health=health,
        reason=reason,
    )


def _lanes(value: dict[str, int | None]) -> int:
    """A slot of fewer lanes shows only in the width now; unlike the speed it does not fall when idle."""
    known = [width for width in (value["pcie_width_max"], value["pcie_width_cur"]) if width]
    return min(known, default=0)


def _profile(part: Element) -> str:
    """The XML does not name the profile; its SMs and memory do."""
    sms = whole(part.findtext("device_attributes/shared/multiprocessor_count"))
    memory = whole(part.findtext("fb_memory_usage/total"))
    return f"{sms if sms is not None else '?'}sm.{memory if memory is not None else '?'}mib"


def _attributes(node: Element, value: dict[str, int | None]) -> dict[str, AttributeValue]:
    found: dict[str, AttributeValue] = {}
    for name, source in (("pcie_generation", "pcie_gen_max"), ("pcie_generation_now", "pcie_gen_cur")):
        if value[source] is not None:
            found[name] = int(value[source] or 0)
    for name in ("pcie_width_max", "pcie_width_cur", "power_limit_w", "max_sm_clock_mhz", "max_mem_clock_mhz"):
        if value[name] is not None:
            found[name] = int(value[name] or 0)
    for name, path in (("persistence_mode", "persistence_mode"), ("fabric_state", "fabric/state")):
        text = _text(node, path)
        if text:
            found[name] = text
    mode = _text(node, "mig_mode/current_mig")
    return found | ({"mig": mode == "Enabled"} if mode else {})


def _health(node: Element) -> tuple[Health, str | None]:
    if any(_LOST.search(part.text or "") for part in node.iter()):
        return "lost", "gpu_is_lost"
    if _text(node, "fabric/health/summary") == "Unhealthy":
        faults = (part.tag for part in node.iterfind("fabric/health/*") if (part.text or "").strip() == "True")
        return "degraded", "fabric_" + next(faults, "unhealthy")
    if _text(node, "gpu_reset_status/reset_required") == "Yes":
        return "lost", "reset_required"
    return "ok", None
