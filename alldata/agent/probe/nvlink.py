"""Which cards do NVLinks join, how many and how fast?

The number of links belongs to a pair. Behind NVSwitches the far end of a link is not a card: there every two cards on
the switches reach one another with as many links as the poorer of them has up. A link's speed counts both directions,
as the knowledge base does.
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import combinations

from alldata.agent.probe import pcie
from alldata.agent.probe.nvml import Nvml
from alldata.agent.wire import Capacity, Link

MOST_LINKS = 36
_SPEED_FIELD = 90  # NVML_FI_DEV_NVLINK_SPEED_MBPS_COMMON
_MEGABYTE = 1_000_000
_SWITCH = 2  # NVML_NVLINK_DEVICE_TYPE_SWITCH


@dataclass(frozen=True, slots=True)
class Ends:
    """One card's active links: to which PCI addresses, how many into switches, and one link's speed one way."""

    peers: Mapping[str, int] = field(default_factory=dict)
    switched: int = 0
    speed: int | None = None

    @property
    def count(self) -> int:
        return sum(self.peers.values()) + self.switched

    def bandwidth(self) -> Capacity | None:
        """Of all links, both directions; None where the card has no link at all."""
        if self.count == 0:
            return None
        if self.speed is None:
            return Capacity(None, "driver", "missing", reason="nvlink_speed_unknown")
        return Capacity(2 * self.count * self.speed, "driver", "measured")


NONE = Ends()


def ends(nvml: Nvml, handle: object) -> Ends:
    """Ask link by link until the driver says that there is no such link."""
    peers: Counter[str] = Counter()
    switched = 0
    for link in range(MOST_LINKS):
        state = nvml.ask("DeviceGetNvLinkState", handle, link)
        if state.reason:
            break
        if not state.value:
            continue
        if nvml.ask("DeviceGetNvLinkRemoteDeviceType", handle, link).value == _SWITCH:
            switched += 1
            continue
        remote = nvml.ask("DeviceGetNvLinkRemotePciInfo", handle, link).value
        bus = getattr(remote, "busId", b"")
        peers[pcie.normal_address(bus.decode() if isinstance(bus, bytes) else str(bus))] += 1
    found = Ends(peers, switched)
    return Ends(peers, switched, _speed(nvml, handle)) if found.count else found


def _speed(nvml: Nvml, handle: object) -> int | None:
    values = nvml.ask("DeviceGetFieldValues", handle, [_SPEED_FIELD]).value
    first = values[0] if values else None
    if first is None or int(getattr(first, "nvmlReturn", 0)) != 0:
        return None
    speed = int(first.value.uiVal)
    return speed * _MEGABYTE or None


def links(cards: Mapping[str, tuple[str | None, Ends]]) -> tuple[Link, ...]:
    """The pairs among the cards: uuid to (PCI address, ends)."""
    found = []
    for a, b in combinations(sorted(cards), 2):
        (_, ends_a), (bus_b, ends_b) = cards[a], cards[b]
        count = ends_a.peers.get(bus_b or "", 0) or min(ends_a.switched, ends_b.switched)
        if count:
            found.append(Link("nvlink", a, b, {"nvlink_bandwidth": _pair(count, ends_a.speed)}, {"links": count}))
    return tuple(found)


def _pair(count: int, speed: int | None) -> Capacity:
    if speed is None:
        return Capacity(None, "driver", "missing", reason="nvlink_speed_unknown")
    return Capacity(2 * count * speed, "driver", "measured")
