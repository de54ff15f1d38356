"""How is the NVIDIA driver asked, one value at a time?

The binding is 18 MB of tables, so it is loaded only where the driver's library is. A question a
card cannot answer is an `Answer` without a value and with the reason; it never ends the reading.
"""

import ctypes
import importlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

LIBRARY = "libnvidia-ml.so.1"
#: NVML return codes worth a name (hardware.md section 4).
REASONS = {
    3: "not_supported",
    4: "no_permission",
    9: "driver_not_loaded",
    12: "library_not_found",
    13: "not_supported_by_driver",
    15: "gpu_is_lost",
    16: "reset_required",
    18: "driver_library_mismatch",
    999: "unknown_error",
}


@dataclass(frozen=True, slots=True)
class Answer:
    """A value, or why there is none."""

    value: Any = None
    reason: str | None = None


class Nvml:
    """An initialised NVML; `binding` is the module pynvml, or a stand-in with its functions."""

    def __init__(self, binding: Any) -> None:
        self._binding = binding

    def ask(self, name: str, *arguments: object) -> Answer:
        """Call `nvml<name>`; the driver's refusal becomes the reason."""
        call: Callable[..., Any] | None = getattr(self._binding, f"nvml{name}", None)
        if call is None:
            return Answer(reason="not_in_binding")
        try:
            value = call(*arguments)
        except self._binding.NVMLError as refusal:
            return Answer(reason=REASONS.get(refusal.value, f"nvml_{refusal.value}"))
        return Answer(value.decode() if isinstance(value, bytes) else value)

    def constant(self, name: str) -> int:
        return int(getattr(self._binding, name))

    def constant_or(self, name: str, usual: int) -> int:
        """A constant of the binding, or its usual value where a stand-in lacks it."""
        return int(getattr(self._binding, name, usual))

    def cards(self) -> list[tuple[int, Answer]]:
        """(index, handle or reason): one bad card does not hide the others."""
        count = self.ask("DeviceGetCount").value or 0
        return [(index, self.ask("DeviceGetHandleByIndex", index)) for index in range(count)]


def start() -> tuple[Nvml | None, str]:
    """NVML ready for questions, or None and the reason."""
    try:
        ctypes.CDLL(LIBRARY)
    except OSError:
        return None, REASONS[12]
    nvml = Nvml(importlib.import_module("pynvml"))
    refusal = nvml.ask("Init").reason
    return (nvml, "") if refusal is None else (None, refusal)
