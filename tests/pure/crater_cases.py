"""Small clusters and queues: builders for examples, strategies for laws."""

from hypothesis import strategies as st

from scheduling.crater.model import Constraint, Device, Need, Node, Price, Request, Runtime, Snapshot

GIB = 2**30
MIB = 2**20
NOW = 1_800_000_000_000


def cpu(node: str, numa: int | None = 0, cores: int = 4, used: int = 0) -> Device:
    capacity = {"cpu_millicores": cores * 1000}
    free = {"cpu_millicores": (cores - used) * 1000}
    numbers = tuple(range(used, cores))
    return Device(f"{node}/numa{numa or 0}/cpu", "cpu", numa, None, capacity, free, cpus=numbers, pins=True)


def memory(node: str, numa: int | None = 0, gib: int = 16, bandwidth: int | None = 100) -> Device:
    capacity = {"memory_bytes": gib * GIB}
    if bandwidth is not None:
        capacity["memory_bandwidth"] = bandwidth * 10**9
    return Device(f"{node}/numa{numa or 0}/memory", "memory", numa, None, capacity, capacity)


def gpu(uuid: str, numa: int | None = 0, free_ppm: int = 1_000_000, **attributes: str | int) -> Device:
    capacity = {"gpu_sm": 1_000_000, "gpu_memory_bytes": 40 * GIB, "hbm_bandwidth": 1_555 * 10**9}
    described: dict[str, str | int | float | None] = {
        "vendor": "nvidia",
        "model": "a100-sxm4-40gb",
        "compute_capability": "8.0",
        "sm_count": 108,
    }
    return Device(uuid, "gpu", numa, None, capacity, {**capacity, "gpu_sm": free_ppm}, {**described, **attributes})


def disk(node: str, iops: int = 1000) -> Device:
    capacity = {"storage_iops": iops, "storage_bytes": 100 * GIB}
    return Device(f"{node}/storage/vda", "storage", None, None, capacity, capacity, {"interface": "virtio"})


def plain_node(name: str = "n1", cores: int = 4, used: int = 0) -> Node:
    return Node(name, (cpu(name, cores=cores, used=used), memory(name), disk(name)))


def gpu_node(name: str = "g1") -> Node:
    near = (cpu(name, 0), memory(name, 0), gpu(f"GPU-{name}-0", 0))
    return Node(name, (*near, cpu(name, 1), memory(name, 1), gpu(f"GPU-{name}-1", 1), disk(name)))


def cores(millicores: int) -> Need:
    return Need("cpu", amounts={"cpu_millicores": millicores})


def job(name: str, *needs: Need, **more: object) -> Request:
    return Request(name, needs, submitted_ms=NOW, **more)  # type: ignore[arg-type]


def cluster(*nodes: Node, queue: tuple[Request, ...] = (), prices: tuple[Price, ...] = ()) -> Snapshot:
    return Snapshot(NOW, nodes, queue, prices)


_numa = st.sampled_from([None, 0, 1])


@st.composite
def _devices(draw: st.DrawFn, node: str) -> Device:
    kind = draw(st.sampled_from(["cpu", "memory", "gpu", "storage"]))
    number, numa = draw(st.integers(0, 9)), draw(_numa)
    names = {"cpu": ("cpu_millicores",), "memory": ("memory_bytes", "memory_bandwidth"), "gpu": ("gpu_sm",)}
    capacity = {name: draw(st.integers(0, 4)) * 1000 for name in names.get(kind, ("storage_iops",))}
    capacity |= {name: amount * MIB for name, amount in capacity.items() if name == "memory_bytes"}
    free = {name: draw(st.integers(0, amount)) for name, amount in capacity.items()}
    pins = kind == "cpu" and draw(st.booleans())
    pinned = tuple(range(free["cpu_millicores"] // 1000)) if pins else ()
    model = {"model": draw(st.sampled_from(["a", "b"]))}
    return Device(
        f"{node}/{kind}{number}", kind, numa, None, capacity, free, model, draw(st.booleans()), None, pinned, pins
    )


@st.composite
def _needs(draw: st.DrawFn) -> Need:
    kind = draw(st.sampled_from(["cpu", "memory", "gpu", "storage"]))
    name = {"cpu": "cpu_millicores", "memory": "memory_bytes", "gpu": "gpu_sm"}.get(kind, "storage_iops")
    rules = (Constraint("model", "eq", "a"),) if draw(st.booleans()) and draw(st.booleans()) else ()
    amount = draw(st.integers(1, 3000))
    if draw(st.booleans()):
        amount *= draw(st.sampled_from([MIB, MIB - 1])) if kind == "memory" else 1
        return Need(kind, draw(st.integers(1, 2)), rules, amounts={name: amount})
    return Need(kind, 1, rules, shares={name: draw(st.integers(1, 1_000_000))})


@st.composite
def _requests(draw: st.DrawFn) -> Request:
    needs = tuple(draw(st.lists(_needs(), min_size=1, max_size=3)))
    return Request(
        job=f"job{draw(st.integers(0, 10**6))}",
        needs=needs,
        submitted_ms=NOW - draw(st.integers(0, 100)),
        priority=draw(st.integers(0, 2)),
        same=draw(st.sampled_from(["numa", "node"])),
        allow_cross_numa=draw(st.booleans()),
        deadline_ms=draw(st.none() | st.integers(NOW, NOW + 10_000)),
        runtime=draw(st.sampled_from([None, Runtime(1000, 2000, "history", 3)])),
    )


@st.composite
def snapshots(draw: st.DrawFn) -> Snapshot:
    """Up to three nodes and five jobs with small, often tight numbers."""
    nodes = []
    for index in range(draw(st.integers(0, 3))):
        found = draw(st.lists(_devices(f"n{index}"), max_size=5, unique_by=lambda d: d.uuid))
        nodes.append(Node(f"n{index}", tuple(found), usable=draw(st.integers(0, 9)) > 0))
    queue = draw(st.lists(_requests(), max_size=5, unique_by=lambda r: r.job))
    return Snapshot(NOW, tuple(nodes), tuple(queue))
