"""The cluster as arrays, kept from decision to decision.

`Board` holds what is free on every usable node and, for each shape of request, the score of
every node. Equal requests share a shape; scores are renewed only where something changed
(decide.py, batch.py). Picking the node is done here; what the picks mean for people is
written down by plan.py.
"""

from collections.abc import Sequence

import numpy as np

from scheduling.crater import decide
from scheduling.crater.compiled import FAST
from scheduling.crater.fleet import GPU, Fleet, NodeClass
from scheduling.crater.decide import Arrays
from scheduling.crater.kernels import NEVER, Ints
from scheduling.crater.layout import arrays
from scheduling.crater.market import Market
from scheduling.crater.model import Request
from scheduling.crater.programs import could_serve, level_asked, variants
from scheduling.crater.tables import Tables

#: Best fit in micro-GPU for a whole node left unused (cores, GPUs): jobs with GPUs, jobs without.
FIT_GPU, FIT_PLAIN = (10_000, 10_000), (10_000, 40_000)


class Board:
    """Free amounts and scores; `fast` False keeps to NumPy even where numba is installed."""

    def __init__(self, grid: Fleet, trade: Market, *, fast: bool = FAST) -> None:
        self.grid, self.fast = grid, fast
        self.tables = Tables(grid)
        self.arrays: Arrays = arrays(grid, trade, self.tables)

    def shape(self, request: Request, adjust: Sequence[int]) -> int:
        """Compile a request; `adjust` is the constant part of the score on each class, NEVER for none."""
        levels, found = 0, []
        for position, group in enumerate(self.grid.classes):
            found.append(list(variants(request, group)) if adjust[position] != NEVER else [])
            if found[-1] and not levels:
                levels = levels_of(request, group)
        number = self.tables.open(adjust, (*(FIT_GPU if levels else FIT_PLAIN), levels))
        for position, options in enumerate(found):
            self.tables.compile(number, position, options)
        self.arrays = self.arrays._replace(**self.tables.fields())
        decide.refresh(self.arrays, number)
        return number

    def choose(self, shape: int) -> int:
        """Row of the best node for the shape; -1 when it fits nowhere."""
        return int(decide.choose(self.arrays, shape))

    def take(self, shape: int, node: int) -> None:
        """Book the shape's best devices on the node."""
        decide.take(self.arrays, shape, node)

    def stream(self, shapes: Ints) -> Ints:
        """Place one shape after the other; the rows of their nodes, -1 where nothing fitted."""
        nodes = np.full(len(shapes), -1, dtype=np.int64)
        decide.stream(self.arrays, shapes, nodes)
        return nodes


def levels_of(request: Request, group: NodeClass) -> int:
    """Hundredths of GPUs that the request takes from a node of the class."""
    sample = [group.sample.devices[i] for i in group.gpus]
    gpus = [need for need in request.needs if need.type == GPU]
    return sum(max(level_asked(need, d) for d in sample if could_serve(need, d)) * need.count for need in gpus)
