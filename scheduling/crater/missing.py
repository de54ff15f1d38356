"""What do a node's devices lack for a compiled request? Read from the arrays, in the words of a Shortfall."""

from scheduling.crater.board import Board
from scheduling.crater.filters import unit_of
from scheduling.crater.fleet import CORES, NodeClass
from scheduling.crater.kernels import (
    CLASS,
    N_COUNT,
    N_SLOT,
    N_SLOTS,
    S_DEVICE,
    S_TAKE,
    S_TAKES,
    T_AMOUNT,
    T_COLUMN,
    V_NEED,
    V_NEEDS,
)
from scheduling.crater.model import Node, Shortfall
from scheduling.crater.vector import CORE, CPU

Short = tuple[float, list[tuple[int, int, int]], int]  # relative gap; (column, asked, have) of each lack; device


def missing(board: Board, shape: int, row: int) -> tuple[Shortfall, ...]:
    """The lacks of the nearest group of devices, one device for each need that is not met; () when none."""
    a = board.arrays
    table, free = int(a.nodes[row, CLASS]), a.nodes[row].tolist()
    first, count = a.programs[shape, table].tolist()
    groups = [_of_group(board, variant, free) for variant in range(first, first + count)]
    nearest = min(groups, key=lambda shorts: (len(shorts), sum(short[0] for short in shorts)), default=[])
    node, group = board.grid.nodes[row], board.grid.classes[table]
    return tuple(
        _worded(node, group, column - board.tables.offset, (asked, have))
        for _, lacks, _ in nearest
        for column, asked, have in lacks
    )


def _of_group(board: Board, variant: int, free: list[int]) -> list[Short]:
    code, shorts = board.arrays.code, list[Short]()
    start = int(code[variant, V_NEED])
    for need in code[start : start + code[variant, V_NEEDS]].tolist():
        slots = code[need[N_SLOT] : need[N_SLOT] + need[N_SLOTS]].tolist()
        gaps = sorted((_gap(board, slot, free) for slot in slots), key=lambda gap: (gap[0], gap[2]))
        if gaps[need[N_COUNT] - 1][1]:
            shorts.append(gaps[need[N_COUNT] - 1])
    return shorts


def _gap(board: Board, slot: list[int], free: list[int]) -> Short:
    rows = board.arrays.code[slot[S_TAKE] : slot[S_TAKE] + slot[S_TAKES]].tolist()
    lacks = [(r[T_COLUMN], r[T_AMOUNT], free[r[T_COLUMN]]) for r in rows if free[r[T_COLUMN]] < r[T_AMOUNT]]
    return sum((asked - have) / asked for _, asked, have in lacks), lacks, slot[S_DEVICE]


def _worded(node: Node, group: NodeClass, column: int, figures: tuple[int, int]) -> Shortfall:
    position, name = group.columns[column]
    device = node.devices[position]
    scale = CORE if name == CORES else 1
    asked, have = figures[0] * scale, figures[1] * scale
    name = CPU if name == CORES else name
    return Shortfall("free", node.name, device.uuid, device.type, name, asked, have, asked - have, unit_of(name))
