"""Find a shape's best node, book it, give it back: the planner's decisions as kernels.

Scores are fresh when scoring.py has seen what changed; here they meet what changes with every
decision: how scarce each kind of GPU is by now, and what money says about each class.
"""

from typing import Any

import numpy as np

from scheduling.crater.arrays import (
    BLOCK,
    C_BLOCK,
    C_END,
    C_KIND,
    C_START,
    P_VARIANT,
    P_VARIANTS,
    W_CORES,
    W_FITS,
    W_GPUS,
    W_UNITS,
    Arrays,
)
from scheduling.crater.compiled import jit
from scheduling.crater.kernels import (
    CLASS,
    FULL,
    HUGE,
    NEVER,
    S_TAKE,
    S_TAKES,
    T_AMOUNT,
    T_COLUMN,
    V_PENALTY,
    Int,
    Ints,
    fill,
)
from scheduling.crater.ranking import lead, rank
from scheduling.crater.scoring import appraise, evaluate, refresh

#: Scarcity is bounded, so that a score stays an integer of 64 bits.
DEAREST = 1e9


@jit
def dearness(own: tuple[Int, Int], whole: tuple[Int, Int], scarcity: float, units: Int) -> Any:
    """Micro-GPU that using a kind costs beyond its worth: scarce, and scarcer as it runs out.

    `own` and `whole` are (capacity, free) of the kind and of all GPUs; `scarcity` is for one GPU.
    """
    if units == 0 or scarcity == 0:
        return np.int64(0)
    ratio = (own[0] / whole[0]) / (max(1, own[1]) / max(1, whole[1]))
    return np.int64(min(DEAREST, scarcity * (ratio * ratio)) * units) // FULL


@jit
def choose(a: Arrays, shape: int) -> Any:
    """The node where the shape is best placed, -1 when it fits nowhere."""
    refresh(a, shape)
    scores, best, classes, kinds, scarcity = a.scores[shape], a.best[shape], a.classes, a.kinds, a.scarcity
    a.points[:] = NEVER
    winner, top, units = np.int64(-1), np.int64(-HUGE), a.shapes[shape, W_UNITS]
    total_units, left = np.int64(0), np.int64(0)
    for k in range(kinds.shape[0]):
        total_units, left = total_units + kinds[k, 0], left + kinds[k, 1]
    for c in range(classes.shape[0]):
        if a.programs[shape, c, P_VARIANTS] == 0 or a.adjust[shape, c] == NEVER:
            continue
        first, blocks = classes[c, C_BLOCK], (classes[c, C_END] - classes[c, C_START] + BLOCK - 1) // BLOCK
        kind = classes[c, C_KIND]
        dear = dearness((kinds[kind, 0], kinds[kind, 1]), (total_units, left), scarcity[kind], units)
        a.points[c] = a.adjust[shape, c] - dear
        score, block = np.int64(NEVER), np.int64(-1)
        for b in range(first, first + blocks):
            if best[b] > score:
                score, block = np.int64(best[b]), np.int64(b)
        if block < 0:
            continue
        total = score + a.points[c]
        if total < top:
            continue
        node = classes[c, C_START] + (block - first) * BLOCK
        while scores[node] != score:
            node += 1
        if total > top or a.rank[node] < a.rank[winner]:
            winner, top = node, total
    return winner


@jit
def change(a: Arrays, node: int) -> None:
    """Note that the node's free amounts are different now."""
    appraise(a, node)
    at = a.last[-1]
    a.log[at & (a.log.shape[0] - 1)] = node
    a.last[node] = at
    a.last[-1] = at + 1


@jit
def move(a: Arrays, node: int, slots: Ints, sign: int) -> None:
    """Take the slots' amounts from the node (-1), or give them back (1)."""
    for p in range(slots.shape[0]):
        first = a.code[slots[p], S_TAKE]
        for t in range(first, first + a.code[slots[p], S_TAKES]):
            a.nodes[node, a.code[t, T_COLUMN]] += sign * a.code[t, T_AMOUNT]
    if sign > 0:
        a.freed[node] = a.last[-1]
    change(a, node)


@jit
def renew(a: Arrays, rows: Ints) -> None:
    """Note that these nodes' free amounts were set anew: there may be more of something, or less."""
    for i in range(rows.shape[0]):
        a.freed[rows[i]] = a.last[-1]
        change(a, rows[i])


@jit
def take(a: Arrays, shape: int, node: int) -> Any:
    """Book the shape's best devices on the node; they stay readable in `picks`. (score, best-fit part, penalty)"""
    nodes, code, table = a.nodes, a.code, a.nodes[node, CLASS]
    weights = (a.shapes[shape, W_CORES], a.shapes[shape, W_GPUS], a.most[0], a.most[1])
    at = (node, a.programs[shape, table, P_VARIANT], a.programs[shape, table, P_VARIANTS], weights)
    score, variant, fit = evaluate(nodes, code, a.book, a.picks, at)
    fill(nodes, code, a.book, a.picks, (node, variant))
    move(a, node, a.picks[1 : 1 + a.picks[0]], -1)
    return score, fit, code[variant, V_PENALTY]


@jit
def book(a: Arrays, shape: int, node: int, most: int) -> Any:
    """Take the node that was chosen, `most` candidates noted.

    (node, score, best-fit part, penalty, scarcity, on how many nodes it fits, candidates noted)
    """
    table = a.nodes[node, CLASS]
    count = np.int64(0)
    if most > 0:
        count = rank(a, (a.scores[shape], a.best[shape]), a.points, most)
        lead(a, count, node, a.scores[shape, node] + a.points[table])
    score, fit, penalty = take(a, shape, node)
    return node, score, fit, penalty, a.adjust[shape, table] - a.points[table], a.shapes[shape, W_FITS], count


@jit
def place(a: Arrays, shape: int, most: int) -> Any:
    """Choose and book in one; a node of -1 when it fits nowhere."""
    node = choose(a, shape)
    if node < 0:
        nothing = np.int64(0)
        return node, nothing, nothing, nothing, nothing, nothing, nothing
    return book(a, shape, node, most)


@jit
def stream(a: Arrays, shapes: Ints, rows: Ints) -> None:
    """Place one after the other; `rows` receives the node of each, or -1."""
    for i in range(shapes.shape[0]):
        node = choose(a, shapes[i])
        if node >= 0:
            take(a, shapes[i], node)
        rows[i] = node
