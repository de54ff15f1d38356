"""How much slower do jobs run beside each other on one machine?

A stated model, not a measurement; its parameters come from data files outside the core. A job's
step is cut into shares that add up to 1 when it runs alone and well placed: compute, transfer
(host to device), memory (host), storage, exchange (device to device). Each share but compute
stretches by the worst load on its way:

    slowdown = compute + transfer x T + memory x M + storage x S + exchange x E
    load of a link = bytes/s that all its users would like / capacity
    T = max(1, loads from each device to its host memory), x remote where that crosses sockets
    M = max(1, load of the pool), x remote where cores and pool are on different sockets
    S = max(1, IOPS asked / offered, requests in flight / queue depth, load of the drive's uplink)
    E = 1 inside one NVLink island; else own exchange / uplink rate, x the load of the uplinks

One job never asks a link for more than the link carries, but demand does not otherwise shrink when it
is not met (open loop), so the model is pessimistic under heavy overload. Rates in bytes/s, storage in
IOPS, depth in requests.
"""

from collections import Counter
from collections.abc import Mapping, Sequence

from scheduling.crater.appetite import Appetite, Effects, Parameters, Seat
from scheduling.crater.model import Device, Node
from scheduling.crater.paths import ways


class Machine:
    """One node's ways: which links each device hangs from, and what every part can carry."""

    def __init__(self, node: Node, parameters: Parameters) -> None:
        self._parameters = parameters
        self._devices = {device.uuid: device for device in node.devices}
        self._above = {uuid: tuple(link.uuid for link in links) for uuid, links in ways(node.devices).items()}
        self._socket = f"{node.name}/socket-link"

    def effects(self, seats: Sequence[Seat]) -> Effects:
        """Slowdown of each job, and the loads behind it."""
        asked: dict[str, float] = {}
        ways = {seat.job: self._ways(seat) for seat in seats}
        for seat in seats:
            for part, amount in self._demands(seat, ways[seat.job]).items():
                asked[part] = asked.get(part, 0.0) + min(amount, self._offered(part))
        loads = {part: amount / self._offered(part) for part, amount in asked.items()}
        depths = self._depths(seats)
        slow = {seat.job: self._slowdown(seat, ways[seat.job], loads, depths) for seat in seats}
        return Effects(slow, loads, depths)

    def _of_type(self, seat: Seat, kind: str) -> list[Device]:
        return [self._devices[pick.device] for pick in seat.picks if pick.type == kind]

    def _home(self, seat: Seat) -> int | None:
        """The NUMA node of the job's host memory."""
        pools = self._of_type(seat, "memory")
        return pools[0].numa_node if pools else None

    def _ways(self, seat: Seat) -> Mapping[str, tuple[str, ...]]:
        """For each GPU and drive the links to the job's memory."""
        home = self._home(seat)
        found = {}
        for device in (*self._of_type(seat, "gpu"), *self._of_type(seat, "storage")):
            links = [*self._above.get(device.uuid, ())]
            if home is not None and device.numa_node not in (None, home):
                links.append(self._socket)
            found[device.uuid] = tuple(links)
        return found

    def _demands(self, seat: Seat, ways: Mapping[str, tuple[str, ...]]) -> Mapping[str, float]:
        """What the job would like of each part."""
        appetite, gpus = seat.appetite, self._of_type(seat, "gpu")
        exchange = 0.0 if self._is_island(gpus) else appetite.exchange_bytes_s
        pools, drives = self._of_type(seat, "memory"), self._of_type(seat, "storage")
        wanted: Counter[str] = Counter()
        for device in gpus:
            wanted.update(dict.fromkeys(ways[device.uuid], appetite.transfer_bytes_s + exchange))
        for drive in drives:
            wanted.update({link: appetite.storage_bytes_s / len(drives) for link in ways[drive.uuid]})
            wanted.update({drive.uuid: appetite.iops / len(drives)})
        wanted.update({pool.uuid: appetite.memory_bytes_s / len(pools) for pool in pools})
        return wanted

    def _depths(self, seats: Sequence[Seat]) -> dict[str, float]:
        depths: dict[str, float] = {}
        for seat in seats:
            drives = self._of_type(seat, "storage")
            for drive in drives:
                part = seat.appetite.depth / len(drives) / max(1, drive.capacity.get("storage_queue_slots", 1))
                depths[drive.uuid] = depths.get(drive.uuid, 0.0) + part
        return depths

    def _offered(self, part: str) -> float:
        if part == self._socket:
            return self._parameters.socket_link_bytes_s
        device = self._devices[part]
        name = {"link": "pcie_bandwidth", "memory": "memory_bandwidth", "storage": "storage_iops"}[device.type]
        return max(1.0, float(device.capacity.get(name, 0)))  # what offers nothing is as good as blocked

    def _is_island(self, gpus: Sequence[Device]) -> bool:
        islands = {gpu.attributes.get("nvlink_island") for gpu in gpus}
        return len(gpus) < 2 or (len(islands) == 1 and None not in islands)

    def _slowdown(
        self, seat: Seat, ways: Mapping[str, tuple[str, ...]], loads: Mapping[str, float], depths: Mapping[str, float]
    ) -> float:
        shares, remote = seat.appetite.shares, self._parameters
        gpus, pools, drives = (self._of_type(seat, kind) for kind in ("gpu", "memory", "storage"))
        home = self._home(seat)
        links = [loads[link] for gpu in gpus for link in ways[gpu.uuid]]
        far = any(home is not None and gpu.numa_node not in (None, home) for gpu in gpus)
        transfer = max([1.0, *links]) * (remote.remote_transfer if far else 1.0)
        apart = any(core.numa_node not in (None, home) for core in self._of_type(seat, "cpu")) and home is not None
        memory = max([1.0, *(loads[pool.uuid] for pool in pools)]) * (remote.remote_memory if apart else 1.0)
        drive_links = [loads.get(link, 0.0) for drive in drives for link in ways[drive.uuid]]
        storage = max([1.0, *(loads[d.uuid] for d in drives), *(depths[d.uuid] for d in drives), *drive_links])
        exchange = 1.0 if self._is_island(gpus) else self._by_uplinks(seat.appetite, gpus, links)
        parts = {"transfer": transfer, "memory": memory, "storage": storage, "exchange": exchange}
        return shares.get("compute", 0.0) + sum(shares.get(name, 0.0) * factor for name, factor in parts.items())

    def _by_uplinks(self, appetite: Appetite, gpus: Sequence[Device], links: Sequence[float]) -> float:
        """How much longer an exchange takes over PCIe than inside an island."""
        rates = [self._offered(link) for gpu in gpus for link in self._above.get(gpu.uuid, ())]
        own = appetite.exchange_bytes_s / min(rates) if rates else 1.0
        return max(1.0, own) * max([1.0, *links])
