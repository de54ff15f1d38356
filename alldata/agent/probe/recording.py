"""How does a recorded machine's driver answer? From `nvml.json` at the root of the tree.

    {"driver": {"SystemGetDriverVersion": "550.54.15"},
     "cards": [{"DeviceGetUUID": "GPU-...", "DeviceGetNvLinkState": [1, 1]}]}

A list answers a question about a numbered part (link, MIG device); what is not there is not supported. So a tree of a
machine with cards can be replayed where there are none.
"""

import json
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

from alldata.agent.probe.nvml import Nvml
from alldata.agent.probe.tree import Tree

FILE = "nvml.json"
_NOT_SUPPORTED, _LOST = 3, 15
_INDEXED = ("NvLink", "MigDeviceHandle")


class Refusal(Exception):
    """The recorded driver's error; `value` is the code NVML would have returned."""

    def __init__(self, value: int) -> None:
        super().__init__(value)
        self.value = value


class Recorded:
    """A stand-in for the binding that answers from the recording."""

    NVMLError = Refusal

    def __init__(self, driver: dict[str, Any], cards: list[Any]) -> None:
        self._driver = driver
        self._cards = cards

    def nvmlDeviceGetCount(self) -> int:
        return len(self._cards)

    def nvmlDeviceGetHandleByIndex(self, index: int) -> Any:
        """A card recorded as null is lost."""
        if self._cards[index] is None:
            raise Refusal(_LOST)
        return self._cards[index]

    def __getattr__(self, name: str) -> Callable[..., Any]:
        if not name.startswith(("nvmlDevice", "nvmlSystem")):
            raise AttributeError(name)
        question = name.removeprefix("nvml")

        def answer(handle: Any = None, *numbers: Any) -> Any:
            told = handle if isinstance(handle, dict) else self._driver
            return _one(told, question, numbers)

        return answer


def _one(told: dict[str, Any], question: str, numbers: tuple[Any, ...]) -> Any:
    found = told.get(question)
    if isinstance(found, list) and any(mark in question for mark in _INDEXED):
        found = found[numbers[0]] if numbers[0] < len(found) else None
    if found is None:
        raise Refusal(_NOT_SUPPORTED)
    return _shaped(found, question)


def _shaped(found: Any, question: str) -> Any:
    """Objects with members, as the binding has them; a MIG device stays a handle."""
    if isinstance(found, dict) and "Handle" not in question:
        return SimpleNamespace(**{name: _shaped(member, question) for name, member in found.items()})
    if isinstance(found, list):
        return [_shaped(member, question) for member in found]
    return found


def recorded(tree: Tree) -> Nvml | None:
    """The recorded driver, where the tree has one."""
    text = tree.text(FILE)
    if text is None:
        return None
    try:
        plain = json.loads(text)
        return Nvml(Recorded(dict(plain["driver"]), list(plain["cards"])))
    except (ValueError, KeyError, TypeError):
        return None
