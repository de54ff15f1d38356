"""Small machines with links, islands and NUMA nodes, and jobs whose traffic crosses them."""

from hypothesis import strategies as st

from scheduling.crater.model import Device, Near, Need, Node, Request, Snapshot
from tests.pure.crater_cases import NOW

KINDS = {"gpu": "pcie_bandwidth", "storage": "storage_bandwidth", "network": "network_bandwidth"}


def link(uuid: str, numa: int | None = 0, parent: str | None = None, capacity: int = 30, free: int = 30) -> Device:
    return Device(uuid, "link", numa, parent, {"pcie_bandwidth": capacity}, {"pcie_bandwidth": free})


def card(uuid: str, parent: str | None = None, numa: int | None = 0, island: str | None = None) -> Device:
    whole = {"gpu_sm": 1_000_000, "pcie_bandwidth": 30}
    return Device(uuid, "gpu", numa, parent, whole, whole, {} if island is None else {"nvlink_island": island})


def drive(uuid: str, parent: str | None = None, numa: int | None = 0) -> Device:
    whole = {"storage_bandwidth": 10, "storage_queue_slots": 8}
    return Device(uuid, "storage", numa, parent, whole, whole)


def pool(uuid: str, numa: int | None = 0) -> Device:
    return Device(uuid, "memory", numa, None, {"memory_bytes": 100}, {"memory_bytes": 100})


@st.composite
def _links(draw: st.DrawFn, node: str) -> list[Device]:
    """Roots, and switches that may hang from them."""
    found = list[Device]()
    for index in range(draw(st.integers(1, 3))):
        above = draw(st.sampled_from([None, *found]))
        numa = above.numa_node if above else draw(st.sampled_from([None, 0, 1]))
        free = draw(st.integers(0, 30))
        found.append(link(f"{node}/link{index}", numa, above.uuid if above else None, 30, free))
    return found


@st.composite
def _leaf(draw: st.DrawFn, node: str, index: int, links: list[Device]) -> Device:
    kind = draw(st.sampled_from(["gpu", "gpu", "storage", "network"]))
    above = draw(st.sampled_from([None, *links]))
    numa = above.numa_node if above else draw(st.sampled_from([None, 0, 1]))
    capacity = {KINDS[kind]: draw(st.sampled_from([20, 30]))}
    free = {KINDS[kind]: draw(st.integers(0, capacity[KINDS[kind]]))}
    if kind == "gpu":
        capacity["gpu_sm"] = 1000
        free["gpu_sm"] = draw(st.sampled_from([1000, 1000, 400, 0]))
    island = draw(st.sampled_from([None, "a", "b"])) if kind == "gpu" else None
    attributes = {} if island is None else {"nvlink_island": island}
    return Device(f"{node}/{kind}{index}", kind, numa, above.uuid if above else None, capacity, free, attributes)


@st.composite
def _need(draw: st.DrawFn, kind: str) -> Need:
    if kind == "link":
        return Need("link", 1, amounts={"pcie_bandwidth": draw(st.integers(1, 20))})
    count, extra = draw(st.integers(1, 3 if kind == "gpu" else 2)), {"gpu_sm": 400} if kind == "gpu" else {}
    name = draw(st.sampled_from(["", "ocr"]))
    if draw(st.integers(0, 3)) == 0:
        return Need(kind, count, amounts=extra, shares={KINDS[kind]: 400_000}, component=name)
    return Need(kind, count, amounts={**extra, KINDS[kind]: draw(st.integers(0, 20))}, component=name)


@st.composite
def _request(draw: st.DrawFn, index: int) -> Request:
    unique = draw(st.integers(0, 3)) > 0
    kinds = draw(st.lists(st.sampled_from([*KINDS, "link"]), min_size=1, max_size=3, unique=unique))
    same = st.sampled_from(["numa", "pcie_root", "nvlink_island", "node"])
    near = (Near("ocr", draw(same)),) if draw(st.integers(0, 3)) == 0 else ()
    needs = tuple(draw(_need(kind)) for kind in kinds)
    cross, spread = draw(st.booleans()), draw(st.integers(0, 4)) == 0
    return Request(f"j{index}", needs, NOW, same=draw(same), allow_cross_numa=cross, near=near, is_spread=spread)


@st.composite
def trees(draw: st.DrawFn) -> Snapshot:
    """One or two machines and up to three jobs, with small, often tight numbers."""
    nodes = []
    for number in range(draw(st.integers(1, 2))):
        links = draw(_links(f"n{number}"))
        leaves = [draw(_leaf(f"n{number}", index, links)) for index in range(draw(st.integers(0, 6)))]
        nodes.append(Node(f"n{number}", (*links, *leaves)))
    queue = tuple(draw(_request(index)) for index in range(draw(st.integers(1, 3))))
    return Snapshot(NOW, tuple(nodes), queue)
