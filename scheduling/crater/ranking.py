"""The best nodes of a shape, found by their blocks: what is kept with a decision as its candidates.

Values are scores (scoring.py) or how near a node comes (near.py), always the more the better;
`points` is what all nodes of a class get beside their own. Equal totals go by row, which is
class, then name. The kernels run as machine code; `picked` is the same with NumPy.
"""

from typing import Any

import numpy as np

from scheduling.crater.arrays import BLOCK, C_BLOCK, C_END, C_START, Arrays
from scheduling.crater.compiled import jit
from scheduling.crater.kernels import CLASS, HUGE, NEVER, Int, Ints, Small

#: Blocks from which on it pays to look at the best blocks only.
MANY = 64
_ROWS = 1 << 20  # more rows than any cluster has nodes
_FARTHEST = (NEVER + 1) * _ROWS - _ROWS  # keys of nodes where it is NEVER are below
Ranked = tuple[list[int], list[int]]  # rows, totals


@jit
def rank(a: Arrays, values: tuple[Small, Small], points: Ints, most: Int) -> Any:
    """The best nodes into `ranked`; how many there are. `values` of the nodes, and the best of each block."""
    own, tops = values
    rows, totals, classes, count = a.ranked[0], a.ranked[1], a.classes, np.int64(0)
    for c in range(classes.shape[0]):
        if points[c] == NEVER:
            continue
        first, start, end = classes[c, C_BLOCK], classes[c, C_START], classes[c, C_END]
        for b in range((end - start + BLOCK - 1) // BLOCK):
            top = tops[first + b]
            if top == NEVER or (count == most and top + points[c] <= totals[most - 1]):
                continue
            for node in range(start + b * BLOCK, min(start + (b + 1) * BLOCK, end)):
                total = own[node] + points[c]
                if own[node] == NEVER or (count == most and total <= totals[most - 1]):
                    continue
                at = min(count, most - 1)
                while at > 0 and totals[at - 1] < total:
                    totals[at], rows[at] = totals[at - 1], rows[at - 1]
                    at -= 1
                totals[at], rows[at] = total, node
                count = min(count + 1, most)
    return count


@jit
def lead(a: Arrays, count: Int, node: Int, total: Int) -> None:
    """Put the chosen node first: among equal totals it may be any, and a wish may have passed over others."""
    rows, totals, at = a.ranked[0], a.ranked[1], count - 1
    for i in range(count):
        if rows[i] == node:
            at = i
            break
    while at > 0:
        totals[at], rows[at] = totals[at - 1], rows[at - 1]
        at -= 1
    totals[0], rows[0] = total, node


class Blocks:
    """The nodes in blocks, as NumPy reads them; each class is one block where these would be few."""

    def __init__(self, a: Arrays) -> None:
        spans = a.classes[:, [C_START, C_END]].tolist()
        blocks = [(at, min(at + BLOCK, end)) for start, end in spans for at in range(start, end, BLOCK)]
        self.of_class: Ints = a.classes[:, C_BLOCK].copy()
        self.is_many = len(blocks) > MANY
        if not self.is_many:
            blocks, self.of_class = spans, np.arange(len(spans))
        self.starts: Ints = np.array([first for first, _ in blocks], dtype=np.int64)
        self.members: Ints = self.starts[:, None] + np.arange(BLOCK)  # by block, -1 behind its last node
        self.members[self.members >= np.array([end for _, end in blocks], dtype=np.int64)[:, None]] = -1
        self.of_starts: Ints = np.arange(len(blocks))
        self.class_of: Ints = a.nodes[:, CLASS].copy()
        self.all: Ints = np.arange(len(a.nodes))
        self.no_points: Ints = np.zeros_like(a.points)

    def tops(self, values: Small) -> tuple[Small, list[int]]:
        """The best value of each block, and of each class."""
        best: Small = np.maximum.reduceat(values, self.starts)
        return best, (np.maximum.reduceat(best, self.of_class) if self.is_many else best).tolist()

    def ranked(self, values: tuple[Small, Small], points: Ints, most: int) -> tuple[Ranked, int]:
        """As `rank`: (rows, totals); and for how many nodes the value is not NEVER."""
        own, tops = values
        if not self.is_many:
            nodes = (own > NEVER).nonzero()[0]
            count = len(nodes)
        else:  # the best nodes are in as many best blocks
            count = int(np.count_nonzero(own > NEVER))
            added = points[self.class_of[self.starts]]
            best = np.where((tops == NEVER) | (added == NEVER), -HUGE // _ROWS, tops + added) * _ROWS - self.of_starts
            nodes = self.members[np.argpartition(-best, most)[:most]].ravel()
            nodes = nodes[(nodes >= 0) & (own[nodes] > NEVER)]
        added = points[self.class_of[nodes]]
        keys = (own[nodes] + added) * _ROWS - nodes
        if NEVER in points.tolist():
            keys = keys[added > NEVER]
        return _best(keys, most), count

    def nearest(self, close: Small, most: int) -> Ranked:
        """As `rank` with no points for anyone."""
        if self.is_many:
            return self.ranked((close, self.tops(close)[0]), self.no_points, most)[0]
        keys = close.astype(np.int64) * _ROWS - self.all
        return _best(keys, most, _FARTHEST)


def _best(keys: Ints, most: int, beyond: int = -HUGE) -> Ranked:
    """The highest keys that are beyond, taken apart again: a key is a total times `_ROWS`, minus the row."""
    if len(keys) > most:
        keys = np.partition(keys, len(keys) - most)[len(keys) - most :]
    best = sorted([key for key in keys.tolist() if key > beyond], reverse=True)
    return [-key & _ROWS - 1 for key in best], [(key + _ROWS - 1) // _ROWS for key in best]


def led(found: Ranked, node: int, total: int) -> Ranked:
    """As `lead`."""
    rows, totals = found
    if rows and rows[0] != node:
        at = rows.index(node) if node in rows else len(rows) - 1
        del rows[at], totals[at]
        rows.insert(0, node)
        totals.insert(0, total)
    return rows, totals
