"""Keep every shape's scores fresh: the loops around kernels.py.

A change of a node is one entry in a log. A shape reads the log only when it is asked for, so
the cost of a decision grows with what changed since, never with the size of the cluster; best
scores are kept for blocks of nodes.
"""

from typing import Any

import numpy as np

from scheduling.crater.arrays import (
    BLOCK,
    C_BLOCK,
    C_END,
    C_GPUS,
    C_KIND,
    C_START,
    P_VARIANT,
    P_VARIANTS,
    W_CORES,
    W_FITS,
    W_GPUS,
    W_SEEN,
    Arrays,
)
from scheduling.crater.compiled import inlined, jit
from scheduling.crater.kernels import (
    CLASS,
    CORES,
    FULL,
    LEVELS,
    N_SLOT,
    N_SLOTS,
    NEVER,
    ROOM,
    S_CORES,
    S_LEVEL,
    SPARE,
    SUMS,
    V_GPUS,
    V_PENALTY,
    WHOLE,
    WORTH,
    Int,
    Ints,
    Small,
    fill,
    level_after,
    slot_fits,
    worth,
)


@jit
def appraise(a: Arrays, node: int) -> None:
    """Bring what is derived from the node's free amounts up to date."""
    nodes, book = a.nodes, a.book
    table = nodes[node, CLASS]
    kind, gpus = a.classes[table, C_KIND], a.classes[table, C_GPUS]
    a.kinds[kind, 1] -= nodes[node, SPARE]
    for field in range(WORTH + 1):
        nodes[node, field] = 0
    for at in range(a.pools_at.shape[2]):
        if a.pools_at[0, table, at] >= 0:
            nodes[node, CORES] += nodes[node, a.pools_at[0, table, at]]
        if a.pools_at[1, table, at] >= 0:
            nodes[node, ROOM] += nodes[node, a.pools_at[1, table, at]]
    for gpu in range(gpus):
        nodes[node, LEVELS + gpu] = FULL
    first = a.gauge_of[table, 0]
    for row in range(first, first + a.gauge_of[table, 1]):
        at, now = a.gauges[row, 2], np.int64(0)
        if a.gauges[row, 1] > 0:
            now = max(now, nodes[node, a.gauges[row, 0]] * FULL // a.gauges[row, 1])
        nodes[node, at] = min(nodes[node, at], now)
    nodes[node, SUMS:LEVELS] = 0
    for gpu in range(gpus):
        now = nodes[node, LEVELS + gpu]
        nodes[node, SPARE] += now
        nodes[node, WHOLE] += now == FULL
        for m in range(LEVELS - SUMS):
            nodes[node, SUMS + m] += book[table, now, m]
    a.kinds[kind, 1] += nodes[node, SPARE]
    nodes[node, WORTH] = worth(nodes, book, node, (nodes[node, CORES], nodes[node, ROOM]))


@jit
def fit_cost(nodes: Ints, code: Ints, picks: Ints, node: int, weights: tuple[int, int, int, int]) -> Any:
    """What stays unused beside the picks, weighed: little left over is good."""
    cores, spare = nodes[node, CORES], nodes[node, SPARE]
    for p in range(picks[0]):
        slot = picks[1 + p]
        cores -= code[slot, S_CORES]
        if code[slot, S_LEVEL] >= 0:
            spare -= nodes[node, code[slot, S_LEVEL]] - level_after(nodes, code, node, slot)
    return weights[0] * cores // weights[2] + weights[1] * spare // weights[3]


@jit
def is_snugger(nodes: Ints, code: Ints, node: int, variants: tuple[Int, Int]) -> bool:
    """Whether the first of two groups has fewer GPUs that would do: the other one stays whole."""
    one, other = code[variants[0], V_GPUS], code[variants[1], V_GPUS]
    if one < 0 or other < 0:
        return False
    spare = 0
    for slot in range(code[one, N_SLOT], code[one, N_SLOT] + code[one, N_SLOTS]):
        spare += slot_fits(nodes, code, node, slot)
    for slot in range(code[other, N_SLOT], code[other, N_SLOT] + code[other, N_SLOTS]):
        spare -= slot_fits(nodes, code, node, slot)
    return spare < 0


@jit
def evaluate(
    nodes: Ints, code: Ints, book: Ints, picks: Ints, at: tuple[int, int, int, tuple[int, int, int, int]]
) -> Any:
    """(score, variant, best-fit part) of the best group on a node; one that crosses only when no other fits."""
    node, first, count, weights = at
    best, chosen, fit = np.int64(NEVER), np.int64(-1), np.int64(0)
    for variant in range(first, first + count):
        if chosen >= 0 and code[variant, V_PENALTY] > code[chosen, V_PENALTY]:
            break
        after = fill(nodes, code, book, picks, (node, variant))
        if after == NEVER:
            continue
        cost = fit_cost(nodes, code, picks, node, weights)
        score = max(after - nodes[node, WORTH] - code[variant, V_PENALTY] - cost, np.int64(NEVER + 1))
        if score > best or (score == best and is_snugger(nodes, code, node, (variant, chosen))):
            best, chosen, fit = score, np.int64(variant), cost
    return best, chosen, fit


@jit
def top_of(row: Small, first: int, end: int) -> Any:
    """The best score among some nodes."""
    top = row[first]
    for node in range(first + 1, end):
        top = max(top, row[node])
    return top


@inlined
def same(nodes: Ints, node: int) -> bool:
    """Whether the node is in the state of the one before it."""
    differing = 0
    for field in range(CLASS, nodes.shape[1]):
        differing += nodes[node, field] != nodes[node - 1, field]
    return differing == 0


@jit
def refresh(a: Arrays, shape: int) -> None:
    """Rescore the nodes that changed since the shape was last asked for, and their blocks."""
    nodes, code, book, picks, log, last = a.nodes, a.code, a.book, a.picks, a.log, a.last
    classes, programs, scores, best, freed = a.classes, a.programs, a.scores[shape], a.best[shape], a.freed
    weights = (a.shapes[shape, W_CORES], a.shapes[shape, W_GPUS], a.most[0], a.most[1])
    now, since = last[-1], a.shapes[shape, W_SEEN]
    everything = since < 0 or now - since > log.shape[0]
    if everything:
        since, now = 0, nodes.shape[0]
        a.shapes[shape, W_FITS] = 0
        best[:] = NEVER
        scores[:] = NEVER
    for entry in range(since, now):
        node = entry if everything else log[entry & (log.shape[0] - 1)]
        if not everything and last[node] != entry:
            continue
        table, before = nodes[node, CLASS], scores[node]
        count = programs[shape, table, P_VARIANTS]
        if count == 0 or (before == NEVER and not everything and freed[node] < since):
            continue  # what did not fit before more was taken does not fit now
        if everything and node > 0 and same(nodes, node):
            score = np.int64(scores[node - 1])
        else:
            score = evaluate(nodes, code, book, picks, (node, programs[shape, table, P_VARIANT], count, weights))[0]
        scores[node] = score
        a.shapes[shape, W_FITS] += np.int64(score > NEVER) - np.int64(before > NEVER)
        start = classes[table, C_START]
        block = classes[table, C_BLOCK] + (node - start) // BLOCK
        if score >= best[block]:
            best[block] = score
        elif before == best[block]:
            first = start + (node - start) // BLOCK * BLOCK
            best[block] = top_of(scores, first, min(first + BLOCK, classes[table, C_END]))
    a.shapes[shape, W_SEEN] = last[-1]
