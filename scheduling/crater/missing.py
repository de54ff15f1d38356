"""What do a node's devices lack for a compiled request? Read from the arrays, in the words of a Shortfall."""

from scheduling.crater.board import Board
from scheduling.crater.filters import unit_of
from scheduling.crater.fleet import CORES
from scheduling.crater.found import Survey
from scheduling.crater.kernels import CLASS, S_TAKE, S_TAKES
from scheduling.crater.model import Shortfall
from scheduling.crater.shape import Shape, Take
from scheduling.crater.vector import CORE, CPU


def missing(board: Board, shape: Shape, survey: Survey) -> tuple[Shortfall, ...]:
    """The lacks of the nearest node's nearest devices, one for each need that is not met; () when none."""
    found: list[Shortfall] = []
    for slot in survey.slots:
        row = survey.rows[0]
        node, free = board.grid.nodes[row], board.arrays.nodes[row]
        known = shape.takes.get(slot)
        if known is None:
            known = shape.takes[slot] = _takes(board, slot, int(free[CLASS]))
        for column, position, name, scale, amount, unit in known:
            have = int(free[column]) * scale
            if have < amount:
                short, device = amount - have, node.devices[position]
                found.append(Shortfall("free", node.name, device.uuid, device.type, name, amount, have, short, unit))
    return tuple(found)


def _takes(board: Board, slot: int, table: int) -> list[Take]:
    """What the slot takes of its device and of links above it. Whole cores are said in millicores."""
    code, named = board.arrays.code, board.grid.classes[table].columns
    first, takes = int(code[slot, S_TAKE]), list[Take]()
    for column, amount in code[first : first + code[slot, S_TAKES], :2].tolist():
        position, name = named[column - board.tables.offset]
        scale = CORE if name == CORES else 1
        name = CPU if name == CORES else name
        if amount:
            takes.append((column, position, name, scale, amount * scale, unit_of(name)))
    return takes
