"""Where does a request that fits nowhere come nearest? Kernels beside decide.py.

The distance of a node is what its devices lack, need by need: a million for each device that is
missing, and the lacking share of the best remaining one in millionths. Like the scores, the
nearest node is kept for each shape and looked for again only among what changed.
"""

from typing import Any

import numpy as np

from scheduling.crater.compiled import jit
from scheduling.crater.decide import Arrays
from scheduling.crater.kernels import (
    CLASS,
    HUGE,
    N_COUNT,
    N_SLOT,
    N_SLOTS,
    S_TAKE,
    S_TAKES,
    T_AMOUNT,
    T_COLUMN,
    V_NEED,
    V_NEEDS,
    Ints,
)

WHOLE = 1_000_000
# fields of a shape's nearest node
M_NODE, M_DISTANCE, M_SEEN = 0, 1, 2


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
def distance(a: Arrays, shape: int, node: int) -> Any:
    """Least over the node's groups; HUGE where no device of the class would ever do."""
    table, best = a.nodes[node, CLASS], np.int64(HUGE)
    first = a.programs[shape, table, 0]
    for variant in range(first, first + a.programs[shape, table, 1]):
        total, need = np.int64(0), a.code[variant, V_NEED]
        for n in range(need, need + a.code[variant, V_NEEDS]):
            total += lacking(a.nodes, a.code, node, n)
        best = min(best, total)
    return best


@jit
def nearest(a: Arrays, shape: int, kept: Ints) -> Any:
    """The node with the least distance, -1 when no class would do; `kept` is the shape's M_* row."""
    now, since, node = a.last[-1], kept[M_SEEN], kept[M_NODE]
    renew = since < 0 or now - since > a.log.shape[0] or (node >= 0 and a.last[node] >= since)
    if renew:
        kept[M_NODE], kept[M_DISTANCE] = -1, HUGE
    for entry in range(0 if renew else since, a.nodes.shape[0] if renew else now):
        other = np.int64(entry) if renew else a.log[entry % a.log.shape[0]]
        if renew and a.programs[shape, a.nodes[other, CLASS], 1] == 0:
            continue
        found = distance(a, shape, other)
        if found < kept[M_DISTANCE] or (found == kept[M_DISTANCE] < HUGE and other < kept[M_NODE]):
            kept[M_NODE], kept[M_DISTANCE] = other, found
    kept[M_SEEN] = now
    return kept[M_NODE]


@jit
def distances(a: Arrays, shape: int, found: Ints) -> None:
    """The distance of every node; HUGE where no device of its class would ever do."""
    for node in range(found.shape[0]):
        found[node] = distance(a, shape, node)
