"""From a fleet and its market to the arrays that the kernels read."""

import numpy as np

from scheduling.crater.arrays import BLOCK, C_END, C_KIND, C_START, RANKED, Arrays
from scheduling.crater.batch import appraise, gauges_of
from scheduling.crater.fleet import CORES as CORE_NUMBERS
from scheduling.crater.fleet import Fleet, free_row
from scheduling.crater.kernels import CLASS, FULL, LEVELS, NEVER, SPARE, Ints
from scheduling.crater.market import Market
from scheduling.crater.rows import Rows
from scheduling.crater.tables import Tables, free_column
from scheduling.crater.vector import CPU, MEMORY
from scheduling.crater.worth import CORE_PRICES, MICRO, ROOM_PRICES

POOLS = (CPU, MEMORY)  # in the order of Arrays.pools_at


def arrays(grid: Fleet, trade: Market, tables: Tables, nodes: Ints) -> Arrays:
    """Everything a decision reads, for the nodes as they are (`free_rows`, which become part of it)."""
    count, gpus = len(grid.nodes), max((len(c.gpus) for c in grid.classes), default=0)
    gauges, gauge_of = _gauges(grid)
    names = sorted(grid.positions)
    rank = np.zeros(max(1, count), dtype=np.int64)
    rank[[grid.positions[name] for name in names]] = np.arange(len(names))
    most = [max((c.cores for c in grid.classes), default=0) or 1, max(1, gpus) * FULL]
    made = Arrays(
        nodes=nodes,
        book=_book(trade),
        picks=np.zeros(max((len(c.sample.devices) for c in grid.classes), default=0) + 2, dtype=np.int64),
        classes=_classes(grid, trade),
        gauges=gauges,
        gauge_of=gauge_of,
        pools_at=_pools(grid),
        rank=rank,
        most=np.array(most, dtype=np.int64),
        log=np.zeros(1 << (2 * count + 64).bit_length(), dtype=np.int64),
        last=np.concatenate([np.full(count, -1), [0]]).astype(np.int64),
        freed=np.full(max(1, count), -1, dtype=np.int64),
        kinds=_kinds(grid, trade),
        scarcity=np.array([s * MICRO for s in trade.scarcity] or [0.0]),
        points=np.full(max(1, len(grid.classes)), NEVER, dtype=np.int64),
        ranked=np.zeros((2, RANKED), dtype=np.int64),
        **tables.fields(),
    )
    for number, (start, end, kind) in enumerate(made.classes[:, [C_START, C_END, C_KIND]].tolist()):
        block = made.nodes[start:end]
        appraise(block, made.book[number], gauges_of(made, number))
        made.kinds[kind, 1] += block[:, SPARE].sum()
    return made


def free_rows(grid: Fleet) -> Ints:
    """What is free of each node in the columns of the arrays; what follows from it is worked out later."""
    offset = free_column(grid)
    nodes = np.zeros((len(grid.nodes), offset + grid.width), dtype=np.int64)
    for number, group in enumerate(grid.classes):
        end = group.start + len(group.names)
        nodes[group.start : end, CLASS] = number
        rows = [free_row(node, group.columns) for node in grid.nodes[group.start : end]]
        nodes[group.start : end, offset : offset + len(group.columns)] = rows
    return nodes


def _book(trade: Market) -> Ints:
    row = np.array(CORE_PRICES + ROOM_PRICES, dtype=np.int64)
    prices = np.broadcast_to(row, (len(trade.tables), 1, len(row)))
    return np.ascontiguousarray(np.concatenate([trade.tables, trade.fulls, prices], axis=1))


def _kinds(grid: Fleet, trade: Market) -> Ints:
    """Capacity of each kind in levels; what is free is added node by node."""
    kinds = np.zeros((max(1, len(trade.kinds)), 2), dtype=np.int64)
    for group in grid.classes:
        kinds[trade.kinds.index(group.kind), 0] += len(group.gpus) * len(group.names) * FULL
    return kinds


def _classes(grid: Fleet, trade: Market) -> Ints:
    rows, block = Rows(6), 0
    for group in grid.classes:
        end = group.start + len(group.names)
        rows.add((group.start, end, trade.kinds.index(group.kind), len(group.gpus), 0, block))
        block += -(-len(group.names) // BLOCK)
    return rows.array[: rows.used]


def _gauges(grid: Fleet) -> tuple[Ints, Ints]:
    """What each GPU's level follows."""
    gauges, offset = Rows(3), free_column(grid)
    gauge_of = np.zeros((max(1, len(grid.classes)), 2), dtype=np.int64)
    for number, group in enumerate(grid.classes):
        gauge_of[number, 0] = gauges.used
        places = {position: gpu for gpu, position in enumerate(group.gpus)}
        for column, (position, name) in enumerate(group.columns):
            if position in places and name != CORE_NUMBERS:
                capacity = group.sample.devices[position].capacity[name]
                gauges.add((offset + column, capacity, LEVELS + places[position]))
        gauge_of[number, 1] = gauges.used - gauge_of[number, 0]
    return gauges.array, gauge_of


def _pools(grid: Fleet) -> Ints:
    """Where free millicores and free memory stand."""
    offset, width = free_column(grid), max((len(c.columns) for c in grid.classes), default=1)
    pools = np.full((len(POOLS), max(1, len(grid.classes)), max(1, width)), -1, dtype=np.int64)
    for pool, name in enumerate(POOLS):
        for number, group in enumerate(grid.classes):
            columns = [offset + at for at, (_, own) in enumerate(group.columns) if own == name]
            pools[pool, number, : len(columns)] = columns
    most = max(1, int((pools >= 0).sum(axis=2).max()))
    return np.ascontiguousarray(pools[:, :, :most])
