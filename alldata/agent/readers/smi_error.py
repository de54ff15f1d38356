"""What went wrong when nvidia-smi answered with a sentence instead of a table?"""

import re

from alldata.agent.probe.pcie import normal_address
from alldata.agent.readers.document import Document
from alldata.agent.readers.records import Accelerator, Facts, Host, Reading
from alldata.agent.wire import Health

KIND = "smi_error"
_BDF = r"[0-9A-Fa-f]{4,8}:[0-9A-Fa-f]{2}:[0-9A-Fa-f]{2}\.\d"
_HANDLE = re.compile(rf"Unable to determine the device handle for .*?({_BDF})\W+(.+)")
#: Sentence, and what follows from it.
_SENTENCES: tuple[tuple[str, Facts], ...] = (
    (
        r"Driver/library version mismatch",
        {"error": "driver_library_mismatch", "retryable": False, "action": "reboot or reload module"},
    ),
    (
        r"Failed to initialize NVML: Unknown Error",
        {"error": "nvml_unknown", "scope": "container", "action": "restart the container"},
    ),
    (
        r"Failed to initialize NVML: (Driver Not Loaded|.*not loaded)|couldn't communicate with the NVIDIA driver",
        {"error": "driver_not_loaded", "retryable": False, "action": "load or install the driver"},
    ),
    (
        r"Failed to initialize NVML: (Insufficient Permissions|No permission)",
        {"error": "no_permission", "retryable": False, "action": "give access to /dev/nvidia*"},
    ),
    (r"Failed to initialize NVML: GPU access blocked", {"error": "gpu_access_blocked", "retryable": False}),
    (r"No devices were found", {"error": "no_devices", "gpus": 0}),
    (r"command not found|No such file or directory", {"error": "not_installed"}),
)
_BEGINNINGS = ("Failed", "No devices", "NVIDIA-SMI", "bash:", "sh:", "timeout:", "-bash:", "zsh:")
_FIELD = re.compile(r'Field "([^"]+)" is not a valid field to query')


def recognises(document: Document) -> bool:
    """Only where a line begins with the sentence: logs quote it too."""
    return len(document.text) < 4096 and _cause(document) is not None


def read(document: Document) -> Reading:
    facts = _cause(document) or {}
    hosts: tuple[Host, ...] = ()
    bdf = facts.get("bdf")
    if isinstance(bdf, str):
        health: Health = "lost" if facts["error"] == "gpu_lost" else "degraded"
        hosts = (Host(accelerators=(Accelerator(-1, bus=bdf, health=health, reason=str(facts["error"])),)),)
    line = next((n for n, text in enumerate(document.lines, 1) if text.strip()), 1)
    said = document.lines[line - 1].strip()
    return Reading(KIND, hosts, facts, (document.complaint(line, f"the command failed: {said}"),))


def _cause(document: Document) -> Facts | None:
    for text in document.lines:
        line = text.strip()
        field = _FIELD.match(line)
        if field:
            return {"error": "invalid_field", "field": field[1]}
        handle = _HANDLE.match(line)
        if handle:
            lost = "lost" in handle[2].lower()
            return {"error": "gpu_lost" if lost else "gpu_unknown_error", "bdf": normal_address(handle[1])}
        for sentence, facts in _SENTENCES:
            if line.startswith(_BEGINNINGS) and re.search(sentence, line):
                return facts
    return None
