"""Snapshots on which some of the queue already runs."""

from dataclasses import replace

from hypothesis import strategies as st

from scheduling.crater.model import Node, Running, Snapshot
from scheduling.crater.plan import plan
from tests.pure.crater_cases import NOW, snapshots


@st.composite
def busy(draw: st.DrawFn) -> Snapshot:
    """A snapshot on which some of the queue already runs."""
    snapshot = draw(snapshots())
    placed = {p.job: p for p in plan(snapshot).placements}
    chosen = [r for r in snapshot.queue if r.job in placed and draw(st.booleans())]
    running = tuple(
        Running(r, placed[r.job].node, placed[r.job].picks, NOW - 100, NOW + draw(st.integers(1, 5000)), NOW - 50)
        for r in chosen
    )
    held = {(p.device, name): 0 for r in running for p in r.picks for name in p.amounts}
    for r in running:
        for pick in r.picks:
            for name, amount in pick.amounts.items():
                held[pick.device, name] += amount
    nodes = tuple(after(node, held, running) for node in snapshot.nodes)
    names = {r.job for r in running}
    queue = tuple(r for r in snapshot.queue if r.job not in names)
    return replace(snapshot, nodes=nodes, running=running, queue=queue)


def after(node: Node, held: dict[tuple[str, str], int], running: tuple[Running, ...]) -> Node:
    taken = {(p.device, core) for r in running for p in r.picks for core in p.cpus}
    devices = tuple(
        replace(
            d,
            free={name: amount - held.get((d.uuid, name), 0) for name, amount in d.free.items()},
            cpus=tuple(core for core in d.cpus if (d.uuid, core) not in taken),
        )
        for d in node.devices
    )
    return replace(node, devices=devices)
