"""Clusters and queues with whatever numbers, names and shapes a caller could get wrong."""

from collections.abc import Mapping

from hypothesis import strategies as st

from scheduling.crater.model import Constraint, Device, Near, Need, Node, Price, Request, Runtime, Snapshot
from tests.pure.crater_cases import NOW

WILD = [float("nan"), float("inf"), -float("inf"), 1e308, 2**70, 2**63 - 1, 2**53, -1, 0, 1, 1000, 0.5, None, "x", True]
NAMES = ["cpu_millicores", "memory_bytes", "gpu_sm", "pcie_bandwidth", "storage_queue_slots", "nonsense", ""]
wild = st.sampled_from(WILD)
amounts: st.SearchStrategy[Mapping[str, int]] = st.dictionaries(st.sampled_from(NAMES), wild, max_size=3)  # type: ignore[arg-type]
kinds = st.sampled_from(["cpu", "memory", "gpu", "storage", "link", "", "tape"])
uuids = st.sampled_from(["a", "b", "c", "d", "e"])
attributes = st.dictionaries(st.sampled_from(["model", "nvlink_island", "isolation", "numa_node"]), wild, max_size=2)


@st.composite
def devices(draw: st.DrawFn) -> Device:
    numa, parent = draw(st.sampled_from([None, 0, 1, -1, 2**70, float("nan")])), draw(st.none() | uuids)
    cpus = tuple(draw(st.lists(st.sampled_from([0, 1, 1, -1, 2**70, 0.5]), max_size=3)))
    return Device(
        draw(uuids), draw(kinds), numa, parent, draw(amounts), draw(amounts), draw(attributes), draw(st.booleans()),  # type: ignore[arg-type]
        None, cpus,  # type: ignore[arg-type]
    )  # fmt: skip


@st.composite
def needs(draw: st.DrawFn) -> Need:
    op = draw(st.sampled_from(["eq", "in", "min", "max", "regex", "version_min", "nonsense"]))
    value = draw(wild | st.just("(") | st.tuples(wild))
    rules = (Constraint(draw(st.sampled_from(["model", "gpu_sm", "none"])), op, value),) if draw(st.booleans()) else ()
    return Need(draw(kinds), draw(st.sampled_from([1, 1, 2, 0, -1, 2**70, 1.5])), rules, draw(amounts), draw(amounts))  # type: ignore[arg-type]


@st.composite
def requests(draw: st.DrawFn) -> Request:
    same = draw(st.sampled_from(["numa", "pcie_root", "nvlink_island", "node", "rack"]))
    runtime = draw(st.none() | st.builds(Runtime, wild, wild, st.just("declared")))
    near = (Near("", same),) if draw(st.integers(0, 4)) == 0 else ()
    return Request(
        draw(st.sampled_from(["j1", "j2", "j3"])), tuple(draw(st.lists(needs(), max_size=3))), draw(wild),  # type: ignore[arg-type]
        same=same, allow_cross_numa=draw(st.booleans()), deadline_ms=draw(wild), cap_nano=draw(wild),  # type: ignore[arg-type]
        priority=draw(wild), runtime=runtime, near=near, is_spread=draw(st.booleans()),  # type: ignore[arg-type]
    )  # fmt: skip


@st.composite
def wildernesses(draw: st.DrawFn) -> Snapshot:
    named = st.builds(Node, st.sampled_from(["n", "m"]), st.lists(devices(), max_size=4).map(tuple))
    prices = tuple(
        draw(st.lists(st.builds(Price, uuids, st.sampled_from(NAMES), st.sampled_from([1, 0, -1, 0.5])), max_size=1))
    )
    return Snapshot(
        NOW, tuple(draw(st.lists(named, max_size=2))), tuple(draw(st.lists(requests(), max_size=3))), prices
    )
