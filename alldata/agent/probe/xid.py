"""Which Xid errors has the driver told of since the agent started?"""

from collections.abc import Mapping
from typing import Any

from alldata.agent.probe.health import DEADLY_XIDS
from alldata.agent.probe.nvml import Nvml


class XidWatch:
    """Remembers the worst Xid of each card since the agent started. The driver tells of none before that."""

    def __init__(self, nvml: Nvml) -> None:
        self._nvml = nvml
        self._seen: dict[str, int] = {}
        self._events: Any = nvml.ask("EventSetCreate").value
        kind = nvml.constant_or("nvmlEventTypeXidCriticalError", 8)
        for _index, handle in nvml.cards() if self._events is not None else ():
            if handle.value is not None:
                nvml.ask("DeviceRegisterEvents", handle.value, kind, self._events)

    def look(self) -> Mapping[str, int]:
        """Take up new events without waiting; the answer maps a card's UUID to its Xid."""
        for _ in range(100):  # an unending stream must not hold up the probe
            event = self._nvml.ask("EventSetWait_v2", self._events, 0).value if self._events is not None else None
            if event is None:
                break
            uuid = self._nvml.ask("DeviceGetUUID", event.device).value
            number = int(event.eventData)
            if isinstance(uuid, str) and self._seen.get(uuid) not in DEADLY_XIDS:
                self._seen[uuid] = number
        return dict(self._seen)
