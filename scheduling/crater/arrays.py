"""What the planner's kernels read and change, as one value."""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from scheduling.crater.kernels import Ints, Small

BLOCK = 64
# fields of a class
C_START, C_END, C_KIND, C_GPUS, C_CORE, C_BLOCK = 0, 1, 2, 3, 4, 5
# fields of a shape
W_CORES, W_GPUS, W_UNITS, W_SEEN, W_FITS = 0, 1, 2, 3, 4
# fields of a shape's program on a class
P_VARIANT, P_VARIANTS, P_CENSUS, P_NEEDS, P_WHOLE = 0, 1, 2, 3, 4
#: How many candidates are kept with a decision.
RANKED = 20


class Arrays(NamedTuple):
    """Everything a decision reads and changes; built by layout.py."""

    nodes: Ints  # kernels.py
    code: Ints
    shares: npt.NDArray[np.float64]  # [row of code] millionths of a device that one unit of a take is
    book: Ints
    picks: Ints
    classes: Ints  # [class, C_*]
    gauges: Ints  # (column, capacity, level column): what each GPU's level follows
    gauge_of: Ints  # [class, (first, count)] into gauges
    pools_at: Ints  # [0: millicores, 1: bytes of memory; class, number] their columns, ended by -1
    rank: Ints  # [node] its place among all names: breaks ties between classes
    most: Ints  # [cores, levels] of the largest node: what best fit is measured against
    programs: Ints  # [shape, class, P_*]: its variants, and the needs of its census (near.py)
    shapes: Ints  # [shape, W_*]
    adjust: Ints  # [shape, class] constant part of the score (money), NEVER when refused
    scores: Small  # [shape, node]
    best: Small  # [shape, block]
    log: Ints  # ring of changed nodes; its length is a power of two
    last: Ints  # [node] its latest log position; [-1] the next position
    freed: Ints  # [node] log position of its latest release, -1 never
    kinds: Ints  # [kind, (capacity, free)] in levels
    scarcity: npt.NDArray[np.float64]  # [kind] micro-GPU per GPU
    points: Ints  # [class] scratch: what the shape's nodes get beside their own score, NEVER for none
    ranked: Ints  # [(row, total), RANKED] scratch: the best nodes, best first
