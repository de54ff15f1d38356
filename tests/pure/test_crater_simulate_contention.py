"""Neighbours only ever slow a job down, and a good place is worth it."""

from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st

from scheduling.crater.appetite import Appetite, Parameters, Seat
from scheduling.crater.contention import Machine
from scheduling.crater.model import Device, Node, Pick

PARAMETERS = Parameters(socket_link_bytes_s=20.0, remote_memory=1.5, remote_transfer=1.3)
SHARES = {"compute": 0.5, "transfer": 0.2, "memory": 0.1, "storage": 0.1, "exchange": 0.1}
USUAL = Appetite(SHARES, 5.0, 10.0, iops=100.0, storage_bytes_s=1.0, depth=32, exchange_bytes_s=20.0)


def machine() -> Node:
    """Two sockets, a switch each with two GPUs and a drive."""
    devices = []
    for numa in (0, 1):
        devices += [
            Device(f"cpu{numa}", "cpu", numa, None, {"cpu_millicores": 8000}, {}),
            Device(f"pool{numa}", "memory", numa, None, {"memory_bandwidth": 50}, {}),
            Device(f"up{numa}", "link", numa, None, {"pcie_bandwidth": 12}, {}),
            Device(f"ssd{numa}", "storage", numa, f"up{numa}", {"storage_iops": 250, "storage_queue_slots": 64}, {}),
            *(Device(f"g{numa}{i}", "gpu", numa, f"up{numa}", {}, {}, {"nvlink_island": numa}) for i in (0, 1)),
        ]
    return Node("n", tuple(devices))


def seat(job: str, *devices: str, appetite: Appetite = USUAL) -> Seat:
    by_uuid = {d.uuid: d for d in machine().devices}
    return Seat(job, tuple(Pick(u, by_uuid[u].type, {}, (), by_uuid[u].numa_node) for u in devices), appetite)


def slow(*seats: Seat) -> dict[str, float]:
    return {job: round(value, 6) for job, value in Machine(machine(), PARAMETERS).effects(seats).slowdowns.items()}


NEAR = seat("near", "g00", "cpu0", "pool0", "ssd0")


def test_alone_and_well_placed_is_full_speed() -> None:
    assert slow(NEAR) == {"near": 1.0}


def test_memory_on_the_other_socket_costs() -> None:
    assert slow(seat("far", "g00", "cpu0", "pool1", "ssd0"))["far"] > 1.1


def test_a_shared_uplink_stretches_the_transfer_only() -> None:
    busy = replace(USUAL, transfer_bytes_s=10.0)
    pair = slow(*(replace(seat(f"g0{i}", f"g0{i}", "cpu0", "pool0", "ssd1"), appetite=busy) for i in (0, 1)))
    assert pair["g00"] == pair["g01"] > 1.0


def test_too_many_requests_in_flight_stretch_storage() -> None:
    deep = replace(USUAL, depth=128, iops=1.0, storage_bytes_s=0.0)
    assert slow(seat("deep", "cpu0", "pool0", "ssd0", appetite=deep)) == {"deep": 1.1}


def test_an_exchange_across_islands_costs() -> None:
    assert (
        slow(seat("two", "g00", "g10", "cpu0", "pool0"))["two"]
        > slow(seat("two", "g00", "g01", "cpu0", "pool0"))["two"]
    )


seats = st.lists(
    st.sampled_from([("g00", "cpu0", "pool0", "ssd0"), ("g10", "cpu0", "pool1", "ssd1"), ("cpu1", "pool1")])
)


@settings(max_examples=50)
@given(seats)
def test_neighbours_never_help(found: list[tuple[str, ...]]) -> None:
    others = [seat(f"j{i}", *devices) for i, devices in enumerate(found)]
    assert slow(NEAR, *others)["near"] >= slow(NEAR)["near"] == 1.0
