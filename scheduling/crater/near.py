"""Where does a request that fits nowhere come nearest? Kernels beside decide.py.

The distance of a node is what its devices lack, need by need: a million for each device that is
missing, and the lacking share of the best remaining one in millionths. Like the scores,
distances are kept for each shape that was refused, and renewed only where something changed.
"""

from typing import Any

import numpy as np

from scheduling.crater.arrays import BLOCK, C_BLOCK, C_END, C_START, Arrays
from scheduling.crater.compiled import jit
from scheduling.crater.kernels import (
    CLASS,
    N_COUNT,
    N_SLOT,
    N_SLOTS,
    S_TAKE,
    S_TAKES,
    T_AMOUNT,
    T_COLUMN,
    V_NEED,
    V_NEEDS,
    Int,
    Ints,
    Small,
)

WHOLE = 1_000_000
NOWHERE = 2**31 - 1
Kept = tuple[Small, Small, Ints]  # distance of each node, least of each block, position in the log


@jit
def lacking(nodes: Ints, code: Ints, node: int, need: int) -> Any:
    """What the need misses on the node, in millionths of a device."""
    fitting, least = np.int64(0), np.int64(WHOLE)
    first = code[need, N_SLOT]
    for slot in range(first, first + code[need, N_SLOTS]):
        gap, take = np.int64(0), code[slot, S_TAKE]
        for t in range(take, take + code[slot, S_TAKES]):
            short = code[t, T_AMOUNT] - nodes[node, code[t, T_COLUMN]]
            if short > 0:
                gap = max(gap, 1 + np.int64((short / code[t, T_AMOUNT]) * (WHOLE - 1)))
        if gap == 0:
            fitting += 1
        else:
            least = min(least, gap)
    missing = code[need, N_COUNT] - fitting
    return WHOLE * (missing - 1) + least if missing > 0 else np.int64(0)


@jit
def distance(nodes: Ints, code: Ints, node: Int, variants: tuple[Int, Int]) -> Any:
    """Least over the node's groups (first variant, variants); NOWHERE where no device would ever do."""
    best = np.int64(NOWHERE)
    for variant in range(variants[0], variants[0] + variants[1]):
        total, need = np.int64(0), code[variant, V_NEED]
        for n in range(need, need + code[variant, V_NEEDS]):
            total += lacking(nodes, code, node, n)
        best = min(best, total)
    return best


@jit
def renew(a: Arrays, shape: int, kept: Kept) -> None:
    """Bring the distances of the nodes that changed up to date, and their blocks' least."""
    far, least, seen = kept
    nodes, code, classes, log, last, programs = a.nodes, a.code, a.classes, a.log, a.last, a.programs
    since, now = seen[0], last[-1]
    everything = since < 0 or now - since > log.shape[0]
    if everything:
        least[:] = NOWHERE
    for entry in range(0 if everything else since, nodes.shape[0] if everything else now):
        node = np.int64(entry) if everything else log[entry % log.shape[0]]
        if not everything and last[node] != entry:
            continue
        table, before = nodes[node, CLASS], far[node]
        found = distance(nodes, code, node, (programs[shape, table, 0], programs[shape, table, 1]))
        far[node] = found
        start = classes[table, C_START]
        block = classes[table, C_BLOCK] + (node - start) // BLOCK
        first = start + (node - start) // BLOCK * BLOCK
        if found <= least[block]:
            least[block] = found
        elif before == least[block] and not everything:
            least[block] = far[first : min(first + BLOCK, classes[table, C_END])].min()
    seen[0] = now


@jit
def nearest(a: Arrays, shape: int, kept: Kept) -> Any:
    """The node with the least distance, -1 when no class would do."""
    renew(a, shape, kept)
    far, least, _ = kept
    distance = least.min()
    if distance == NOWHERE:
        return np.int64(-1)
    for c in range(a.classes.shape[0]):
        blocks = (a.classes[c, C_END] - a.classes[c, C_START] + BLOCK - 1) // BLOCK
        for b in range(blocks):
            if least[a.classes[c, C_BLOCK] + b] == distance:
                node = a.classes[c, C_START] + b * BLOCK
                while far[node] != distance:
                    node += 1
                return node
    return np.int64(-1)


def fresh(nodes: int, blocks: int) -> Kept:
    """Distances of a shape that has not been looked for yet."""
    far, least = np.full(nodes, NOWHERE, dtype=np.int32), np.full(max(1, blocks), NOWHERE, dtype=np.int32)
    return far, least, np.full(1, -1, dtype=np.int64)
