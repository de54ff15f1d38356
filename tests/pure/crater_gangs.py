"""Gangs on small clusters: builders for examples, strategies and brute force for laws."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import permutations

from hypothesis import strategies as st

from scheduling.crater.gang import members_in, members_of
from scheduling.crater.model import Node, Placement, Request, Running, Runtime
from scheduling.crater.occupancy import Occupancy
from scheduling.crater.place import place_on
from scheduling.crater.scene import Scene
from tests.pure.crater_cases import NOW, cluster, cores, job, plain_node


def gang(name: str, *millicores: int, **more: object) -> Request:
    """A member for each figure, on a node of its own."""
    needs = (replace(cores(size), component=f"w.{number}") for number, size in enumerate(millicores))
    return job(name, *needs, is_apart=True, **more)


def lasting(request: Request, ms: int) -> Request:
    return replace(request, runtime=Runtime(ms, ms, "declared"))


def running_as(placement: Placement | None, request: Request, ends_ms: int, **more: object) -> list[Running]:
    """A placement as its members run; nothing without one."""
    if placement is None:
        return []
    return [
        Running(request, part.node, part.picks, NOW, ends_ms, NOW, member=number, **more)  # type: ignore[arg-type]
        for number, part in zip(members_in(placement), placement.parts, strict=True)
    ]


def by_brute_force(request: Request, nodes: Sequence[Node]) -> list[tuple[str, ...]]:
    """Every way to seat all members, each on a node of its own."""
    state, scene = Occupancy.of(nodes), Scene(cluster(*nodes))
    members = members_of(request)
    return [
        tuple(node.name for node in seats)
        for seats in permutations(nodes, len(members))
        if len({node.simulated for node in seats}) == 1
        and all(place_on(m, n, state, scene) is not None for m, n in zip(members, seats, strict=True))
    ]


@st.composite
def gangs(draw: st.DrawFn) -> tuple[Request, tuple[Node, ...]]:
    """Up to four members and five nodes of few cores, some of them simulated, in use or out of order."""
    sizes = draw(st.lists(st.integers(1, 4), min_size=2, max_size=4))
    nodes = tuple(
        replace(
            plain_node(f"n{number}", cores=4, used=draw(st.integers(0, 4))),
            simulated=draw(st.integers(0, 3)) == 0,
            usable=draw(st.integers(0, 5)) > 0,
        )
        for number in range(draw(st.integers(0, 5)))
    )
    return gang("g", *(1000 * size for size in sizes)), nodes


def holds(placements: Mapping[str, tuple[str, ...]]) -> bool:
    """No gang has two members on one node."""
    return all(len(set(nodes)) == len(nodes) for nodes in placements.values())
