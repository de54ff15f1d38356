"""What is a partly used device worth for the jobs still to come?

Shadow prices say what a job of each shape is worth (shadow.py). From them, for each class of
nodes and each price `mu` of a core or of memory: w(r) is the best filling of a device with r levels
left, by shapes that come often enough, and full(f) the best filling of f free devices, by jobs on
one or several. The worth of a node is the least over mu of its devices' worths plus mu times its
free cores or memory: the Lagrangian bound of its best future filling, with one or the other as
what runs out first. Integers throughout, micro-GPU.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from scheduling.crater.fleet import LEVELS
from scheduling.crater.kernels import Ints

MICRO = 1_000_000
#: Prices of one core, in thousandths of a GPU (micro-GPU per millicore).
CORE_PRICES = (0, 2, 10, 15, 20, 30, 40, 50, 60, 80, 100, 130, 170, 250, 500)
#: Prices of one MiB in micro-GPU, each as another column with cores for nothing.
ROOM_PRICES = (5, 12)
OFTEN = 0.006  # rarer shapes do not shape what a node is worth
TRUST = 0.9  # how far the shadow price is believed against the plain size


@dataclass(frozen=True, slots=True)
class Item:
    """One demanded shape on one class: levels of each device, devices, pools, share of the jobs, worth."""

    level: int
    count: int
    millicores: int
    share: float
    micro: int
    mebibytes: int = 0


def blended(price: float, level: int, count: int) -> int:
    """Micro-GPU: mostly the shadow price (in GPUs), a little the size itself."""
    return round(MICRO * (TRUST * price + (1 - TRUST) * level * count / LEVELS))


def tables(items: Sequence[Item], most: int) -> tuple[Ints, Ints]:
    """(w[level, mu], full[free devices, mu]) for nodes with up to `most` devices."""
    often = [item for item in items if item.share >= OFTEN and item.level > 0]
    w = np.zeros((LEVELS + 1, len(CORE_PRICES + ROOM_PRICES)), dtype=np.int64)
    single = [(i.level, np.maximum(0, _gain(i))) for i in often if i.count == 1]
    for size in range(1, LEVELS + 1):
        for level, gain in single:
            if level <= size:
                w[size] = np.maximum(w[size], w[size - level] + gain)
    full = np.zeros((most + 1, w.shape[1]), dtype=np.int64)
    for free in range(1, most + 1):
        full[free] = full[free - 1] + w[LEVELS]
        for item in often:
            if 1 < item.count <= free:
                full[free] = np.maximum(full[free], full[free - item.count] + _gain(item))
    w[LEVELS] = 0  # a whole device is counted in `full`
    w_out: Ints = w
    return w_out, full


def _gain(item: Item) -> Ints:
    """Its worth less its cores or memory, at each price."""
    cores, room = np.array(CORE_PRICES, dtype=np.int64), np.array(ROOM_PRICES, dtype=np.int64)
    gain: Ints = item.micro - np.concatenate([cores * item.millicores, room * item.mebibytes])
    return gain
