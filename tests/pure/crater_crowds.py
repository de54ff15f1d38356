"""Some machines of three kinds and jobs that come and go: about as many find a place as are refused."""

from dataclasses import replace

from hypothesis import strategies as st

from scheduling.crater.model import Attribute, Constraint, Need, Node, Request, Snapshot
from tests.pure.crater_cases import cluster, cores, cpu, gpu, job

SHARED: dict[str, Attribute] = {"model": "a"}
HELD: dict[str, Attribute] = {"model": "b", "isolation": "none"}
OTHER: dict[str, Attribute] = {"model": "b"}


def machine(name: str, kind: str) -> Node:
    """`a`: four cards that can be shared; `b`: two that are held whole; `d`: two that differ; else cores alone."""
    described = {"a": [SHARED] * 4, "b": [HELD] * 2, "d": [SHARED, OTHER]}.get(kind, [])
    cards = (replace(gpu(f"GPU-{name}-{i}", None), attributes=own) for i, own in enumerate(described))
    return Node(name, (cpu(name, None, cores=6), *cards))


@st.composite
def _requests(draw: st.DrawFn, name: str) -> Request:
    needs = [cores(draw(st.integers(1, 4)) * 1000)]
    if draw(st.integers(0, 3)):
        models = draw(st.sampled_from([(), (), ("a",), ("b",)]))
        rules = (Constraint("model", "in", models),) if models else ()
        count = draw(st.sampled_from([1, 1, 1, 2, 3]))
        share = {"gpu_sm": draw(st.sampled_from([250_000, 500_000, 1_000_000]))}
        needs.append(Need("gpu", count, rules, shares=share))
    return job(name, *needs, same="node")


@st.composite
def crowds(draw: st.DrawFn) -> Snapshot:
    """The queue is what jobs ask for; it does not fit all at once."""
    kinds = draw(st.lists(st.sampled_from("aabcd"), min_size=1, max_size=4))
    nodes = [machine(f"n{i}", kind) for i, kind in enumerate(kinds)]
    return cluster(*nodes, queue=tuple(draw(_requests(f"q{i}")) for i in range(draw(st.integers(2, 6)))))


@st.composite
def lives(draw: st.DrawFn) -> list[tuple[int, bool, bool]]:
    """After another: which job of the queue comes, whether one leaves then, whether someone asks how things stand."""
    return draw(st.lists(st.tuples(st.integers(0, 5), st.booleans(), st.booleans()), min_size=8, max_size=40))
