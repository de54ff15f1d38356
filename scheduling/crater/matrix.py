"""Which rule did each device pass or fail? The whole table behind one decision, worked out again.

A placed job is judged at its turn, on what the jobs before it had left; a waiting one on what was left when all
others had been placed, which is the answer to "why not now?". The same filters, the same numbers (filters.py).
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from scheduling.crater.explain import judge
from scheduling.crater.filters import failures, unit_of, value_of
from scheduling.crater.fit import fit
from scheduling.crater.gang import is_gang, members_of
from scheduling.crater.model import Attribute, Device, Need, Node, Placement, Request, Shortfall, Snapshot
from scheduling.crater.occupancy import Occupancy
from scheduling.crater.paths import ways
from scheduling.crater.schedule import BACKFILL, schedule
from scheduling.crater.site import booked
from scheduling.crater.topology import groups
from scheduling.crater.vector import asked


@dataclass(frozen=True, slots=True)
class Cell:
    """One rule on one device for one need. `rule` and `dimension` are those of a Shortfall."""

    rule: str
    dimension: str | None
    need: Attribute
    have: Attribute
    unit: str
    ok: bool


@dataclass(frozen=True, slots=True)
class Row:
    """One candidate: a device for one need (its place in the request), or a node as a whole (`device` None)."""

    node: str
    device: str | None
    type: str
    need: int | None
    cells: tuple[Cell, ...]
    chosen: bool = False
    member: int = 0  # of a gang: each has a table of its own

    @property
    def ok(self) -> bool:
        return all(cell.ok for cell in self.cells)


@dataclass(frozen=True, slots=True)
class Matrix:
    """Every candidate of one decision. `placement` None: it was not placed."""

    job: str
    placement: Placement | None
    rows: tuple[Row, ...]


def matrix(snapshot: Snapshot, job: str) -> Matrix | None:
    """The table of one job of the snapshot's queue; None when it is not in it."""
    request = next((r for r in snapshot.queue if r.job == job), None)
    if request is None:
        return None
    decided = schedule(snapshot)
    names = [placement.job for placement in decided.placements]
    turn = names.index(job) if job in names else len(names)
    nodes = _after(snapshot.nodes, decided.placements[:turn])
    refused = next((refusal.nearest for refusal in decided.refusals if refusal.job == job), None)
    held_back = refused if refused is not None and refused.rule == BACKFILL else None
    placement = decided.placements[turn] if turn < len(names) else None
    rows = _of_gang(request, nodes, placement, held_back) if is_gang(request) else None
    return Matrix(job, placement, tuple(rows or _rows(request, nodes, placement, held_back)))


def _of_gang(
    request: Request, nodes: Sequence[Node], placement: Placement | None, held_back: Shortfall | None
) -> Iterator[Row]:
    """A member's own candidates; no other member was in its way, each has a node of its own."""
    parts = placement.parts if placement else ()
    for number, member in enumerate(members_of(request)):
        mine = parts[number] if parts else None
        yield from (replace(row, member=number) for row in _rows(member, nodes, mine, held_back))


def _after(nodes: Iterable[Node], placements: Iterable[Placement]) -> tuple[Node, ...]:
    """The cluster once these are booked."""
    left = {node.name: node for node in nodes}
    for placement in placements:
        for part in placement.parts:
            left[part.node] = booked(left[part.node], part.picks, 1)
    return tuple(left.values())


def _rows(
    request: Request, nodes: Sequence[Node], placement: Placement | None, held_back: Shortfall | None
) -> Iterator[Row]:
    state = Occupancy.of(nodes)
    chosen = {pick.device for pick in placement.picks} if placement else set()
    for node in nodes:
        waits = held_back if held_back is not None and node.name in held_back.node.split(", ") else None
        yield _whole(request, node, state, waits)
        above = ways(node.devices)
        for index, need in enumerate(request.needs):
            for device in (d for d in node.devices if d.type == need.type and node.usable):
                failed = failures(need, device, state, node.name, above.get(device.uuid, ()))
                cells = tuple(_cells(need, device, state, tuple(failed)))
                yield Row(node.name, device.uuid, need.type, index, cells, device.uuid in chosen)


def _whole(request: Request, node: Node, state: Occupancy, waits: Shortfall | None) -> Row:
    """What keeps the node out as a whole: health, too few devices, devices too far apart, or who is before it."""
    fits = node.usable and any(fit(request, group, state) is not None for group in groups(node, request))
    missing = () if fits else judge(request, node, state).missing
    cells = tuple(_unmet(s) for s in (*missing, *([waits] if waits else [])))
    return Row(node.name, None, "", None, cells or (Cell("unusable", None, True, True, "", ok=True),))


def _cells(need: Need, device: Device, state: Occupancy, unmet: Sequence[Shortfall]) -> Iterator[Cell]:
    """Every rule of the need on this device, in the order of the filters, then what the links above it lack."""
    failed = {(s.rule, s.dimension): s for s in unmet if s.device == device.uuid}
    yield _cell("unusable", None, (True, True), failed)
    for rule in need.constraints:
        wanted = rule.value if not isinstance(rule.value, tuple) else ", ".join(str(v) for v in rule.value)
        yield _cell("constraint", rule.attribute, (wanted, value_of(device, rule.attribute)), failed)
    for name, amount in asked(need, device).items():
        lacking = next((rule for rule in ("capacity", "free") if (rule, name) in failed), "free")
        yield _cell(lacking, name, (amount, state.free(device).get(name)), failed)
    yield from (_unmet(s) for s in unmet if s.device != device.uuid)


def _cell(
    rule: str,
    name: str | None,
    figures: tuple[Attribute, Attribute],
    failed: dict[tuple[str, str | None], Shortfall],
) -> Cell:
    found = failed.get((rule, name))
    return _unmet(found) if found else Cell(rule, name, *figures, unit_of(name), ok=True)


def _unmet(shortfall: Shortfall) -> Cell:
    return Cell(shortfall.rule, shortfall.dimension, shortfall.need, shortfall.have, shortfall.unit, ok=False)
