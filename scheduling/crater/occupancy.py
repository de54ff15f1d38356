"""What is left of each device while a plan is being made: later jobs see earlier picks."""

from collections.abc import Iterable, Mapping

from scheduling.crater.model import Amounts, Device, Node, Pick
from scheduling.crater.vector import minus


class Occupancy:
    """Free amounts and free cores by device uuid; the snapshot itself never changes."""

    __slots__ = ("_cores", "_free", "version")

    def __init__(self, devices: Iterable[Device]) -> None:
        self._free: dict[str, Amounts] = {}
        self._cores: dict[str, tuple[int, ...]] = {}
        for device in devices:
            self._free[device.uuid] = device.free
            self._cores[device.uuid] = device.cpus
        self.version = 0

    @classmethod
    def of(cls, nodes: Iterable[Node]) -> "Occupancy":
        """The state of a whole cluster."""
        return cls(device for node in nodes for device in node.devices)

    @classmethod
    def from_amounts(cls, free: Mapping[str, Amounts], cores: Mapping[str, tuple[int, ...]]) -> "Occupancy":
        """A state given by device: free amounts, and free core numbers where devices name them."""
        state = cls(())
        state._free.update(free)
        state._cores.update({device: cores.get(device, ()) for device in free})
        return state

    def free(self, device: Device) -> Amounts:
        return self._free[device.uuid]

    def cores(self, device: Device) -> tuple[int, ...]:
        return self._cores[device.uuid]

    def part(self, devices: Iterable[Device]) -> "Occupancy":
        """An independent copy for trying things out on a few devices."""
        copy = Occupancy(())
        for device in devices:
            copy._free[device.uuid] = self._free[device.uuid]
            copy._cores[device.uuid] = self._cores[device.uuid]
        return copy

    def take(self, pick: Pick) -> None:
        """Book what a pick uses."""
        self._free[pick.device] = minus(self._free[pick.device], pick.amounts)
        self._cores[pick.device] = tuple(c for c in self._cores[pick.device] if c not in pick.cpus)
        self.version += 1
