"""Why here, why not there? The table behind a decision, for people: the chosen machine first, then the nearest ones."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace

from django.utils.translation import gettext as _

from alldata.portal.figures import digits
from alldata.portal.sentences import spaced, subject, value
from alldata.portal.words import word
from alldata.tenancy.viewer import Viewer
from scheduling.crater.matrix import Cell, Row
from scheduling.crater.unit_slip import UnitSlip
from scheduling.services.deciding import Explained, explained

SHOWN = 12


@dataclass(frozen=True, slots=True)
class Line:
    """One rule on one device."""

    device: str
    chosen: bool
    what: str
    need: str
    have: str
    rule: str
    ok: bool


@dataclass(frozen=True, slots=True)
class Machine:
    """One machine with its lines."""

    name: str
    chosen: bool
    fits: bool
    lines: tuple[Line, ...]


@dataclass(frozen=True, slots=True)
class Why:
    """What the fold-out shows; `more` machines are left out."""

    reproduced: bool
    slips: tuple[str, ...]
    nodes: tuple[Machine, ...]
    more: int


def why_of(viewer: Viewer, reference: str, member: int = 0) -> Why:
    """The table of the job's latest decision, of a gang for one member. Errors: JobNotFound, DecisionNotFound."""
    found = explained(viewer, reference, 0)
    found = replace(found, node=found.nodes[member] if member < len(found.nodes) else found.node)
    by_node: dict[str, list[Row]] = {}
    for row in found.rows:
        if row.member == member:
            by_node.setdefault(row.node, []).append(row)
    machines = sorted(by_node.items(), key=lambda item: _distance(item[0], item[1], found))
    shown = tuple(_machine(name, rows, found) for name, rows in machines[:SHOWN])
    return Why(found.reproduced, tuple(slip_of(s) for s in found.unit_slips), shown, max(0, len(machines) - SHOWN))


def slip_of(slip: UnitSlip) -> str:
    """The question that a suspected unit raises."""
    facts = asdict(slip)
    values: Mapping[str, object] = {
        "what": subject(facts),
        "asked": value(slip.asked, slip.dimension),
        "ratio": digits(slip.ratio),
        "factor": digits(slip.factor),
    }
    text = _("%(what)s: %(asked)s is %(ratio)s times the best device here. Is the unit %(factor)s times too large?")
    return spaced(text % values)


def _distance(name: str, rows: Sequence[Row], found: Explained) -> tuple[bool, int, str]:
    return name != found.node, sum(not cell.ok for row in rows for cell in row.cells), name


def _machine(name: str, rows: Sequence[Row], found: Explained) -> Machine:
    needs = {row.need for row in rows if row.need is not None}
    whole = all(row.ok for row in rows if row.device is None)
    fits = whole and bool(needs) and all(any(r.ok for r in rows if r.need == need) for need in needs)
    return Machine(name, name == found.node, fits, tuple(_lines(rows)))


def _lines(rows: Iterable[Row]) -> Iterable[Line]:
    """A device's health and a machine's own rules are told only where they stand in the way."""
    for row in rows:
        for cell in row.cells:
            if cell.rule != "unusable" or not cell.ok:
                yield _line(row, cell)


def _line(row: Row, cell: Cell) -> Line:
    facts = {"dimension": cell.dimension, "type": row.type}
    need = _("a usable device") if cell.rule == "unusable" else value(cell.need, cell.dimension)
    what = subject(facts) if cell.dimension or row.type else word(cell.rule, "rule")
    return Line(
        row.device or "", row.chosen, what, need, value(cell.have, cell.dimension), word(cell.rule, "rule"), cell.ok
    )
