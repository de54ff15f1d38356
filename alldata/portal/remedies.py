"""Which words and which command belong to each code of an agent: faults, unknown figures, gaps?"""

from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext_lazy as _


@dataclass(frozen=True, slots=True)
class Remedy:
    """What it means, what to do, and the command to copy ("" where none helps)."""

    title: Any
    advice: Any
    command: str = ""


RESET = "nvidia-smi --gpu-reset -i {bus}"
NEW_DRIVER = "apt-get install nvidia-driver   # or: dnf install nvidia-driver; then reboot"
REMEDIES: dict[str, Remedy] = {
    "gpu_is_lost": Remedy(
        _("It fell off the PCIe bus."),
        _("Save the report, then restart the machine. If it comes back: check seat, power and riser."),
        "nvidia-bug-report.sh && systemctl reboot",
    ),
    "reset_required": Remedy(_("The card waits for a reset."), _("End what runs on it, then reset it."), RESET),
    "memory_row_remapping_needs_reset": Remedy(
        _("A row of its memory was replaced; that takes effect after a reset."),
        _("End what runs on it, then reset it."),
        RESET,
    ),
    "memory_row_remapping_failed": Remedy(
        _("Its memory has more faulty rows than spare ones."),
        _("Have the card exchanged; this output goes with it."),
        "nvidia-smi -q -d ROW_REMAPPER,ECC -i {bus}",
    ),
    "nouveau_drives_it": Remedy(
        _("The driver nouveau holds it: it can neither compute nor be metered."),
        _("Keep nouveau from loading, install the driver, restart the machine."),
        "echo 'blacklist nouveau' > /etc/modprobe.d/nouveau.conf && dracut -f",
    ),
    "library_not_found": Remedy(_("The GPU driver is not installed."), _("Install it."), NEW_DRIVER),
    "driver_not_loaded": Remedy(_("The GPU driver is not loaded."), _("Load it."), "modprobe nvidia && nvidia-smi"),
    "driver_library_mismatch": Remedy(
        _("The loaded driver and its library are of different versions."),
        _("Restart the machine, or load the driver again while no job runs."),
        "systemctl reboot",
    ),
    "no_permission": Remedy(
        _("The agent may not ask the driver."), _("Give its user the device files."), "ls -l /dev/nvidia*"
    ),
    "driver_does_not_list_it": Remedy(
        _("It is on the PCIe bus, but the driver does not list it."),
        _("See what the driver said when it met the card."),
        "dmesg | grep -i -e NVRM -e Xid",
    ),
}
DRIVER_OLD = Remedy(
    _("Its driver is older than %(need)s: bandwidth is not available."), _("Install a newer driver."), NEW_DRIVER
)
XID = Remedy(_("The driver reported Xid %(number)s."), _("End what runs on it, then reset it."), RESET)
OTHER = Remedy(_("It reports a fault: %(code)s."), _("Ask the machine itself."), "alldata-agent doctor")
#: Why a figure is missing -> the words, and how to learn it.
UNKNOWN: dict[str, Remedy] = {
    "not_calibrated": Remedy(
        _("not measured yet"), _("Measure it while the machine is idle."), "alldata-agent calibrate"
    ),
    "link_speed_unknown": Remedy(
        _("the kernel tells no link speed"), _("A virtual slot has none; on bare metal, ask it."), "lspci -vv -s {bus}"
    ),
    "nvlink_speed_unknown": Remedy(
        _("the driver tells no NVLink speed"), _("A newer driver tells it."), "nvidia-smi nvlink --status"
    ),
    "not_in_the_files": Remedy(
        _("the imported files do not say"),
        _("Import one more output, or install the agent."),
        "alldata-agent import FILE",
    ),
    "split_into_mig_devices": Remedy(_("split into MIG devices"), _("Each MIG device has its own figure.")),
    "queue_unknown": Remedy(_("the kernel tells no queue depth"), _("The agent may read it as root.")),
    "pool_bandwidth_unknown": Remedy(
        _("the memory's bandwidth is not known"), _("Measure it while the machine is idle."), "alldata-agent calibrate"
    ),
    "not_supported": Remedy(_("the card cannot tell"), _("Add the fact to the hardware knowledge base.")),
    "not_supported_by_driver": Remedy(_("the driver cannot tell"), _("A newer driver may."), NEW_DRIVER),
    "not_reported": Remedy(_("the agent does not report it"), _("Add the fact to the hardware knowledge base.")),
}
GAPS: dict[str, Remedy] = {
    "numa_unknown": Remedy(
        _("The kernel shows no NUMA nodes"),
        _("It is taken as one node. Virtual machines often hide them; the host can pass them on."),
        "numactl --hardware",
    ),
    "imported_from_files": Remedy(_("Built from files"), _("Install the agent to see load and changes.")),
    "no_cpu_found": Remedy(_("No cores were found"), _("The agent needs to read /sys/devices/system/cpu.")),
    "no_memory_found": Remedy(_("No memory was found"), _("The agent needs to read /proc/meminfo.")),
    "no_storage_found": Remedy(_("No drive was found"), _("A container hides them; mount /sys into it.")),
}
