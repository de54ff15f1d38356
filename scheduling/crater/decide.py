"""Keep every shape's scores fresh and find its best node: the loops around kernels.py.

A change of a node is one entry in a log. A shape reads the log only when it is asked for, so
the cost of a decision grows with what changed since, never with the size of the cluster; best
scores are kept for blocks of nodes.
"""

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from scheduling.crater.compiled import inlined, jit
from scheduling.crater.kernels import (
    CLASS,
    CORES,
    FULL,
    HUGE,
    LEVELS,
    NEVER,
    S_CORES,
    S_LEVEL,
    S_TAKE,
    S_TAKES,
    SPARE,
    SUMS,
    T_AMOUNT,
    T_COLUMN,
    V_PENALTY,
    WHOLE,
    WORTH,
    Int,
    Ints,
    Small,
    fill,
    level_after,
    worth,
)

BLOCK = 64
#: Scarcity is bounded, so that a score stays an integer of 64 bits.
DEAREST = 1e9
# fields of a class
C_START, C_END, C_KIND, C_GPUS, C_CORE, C_BLOCK = 0, 1, 2, 3, 4, 5
# fields of a shape
W_CORES, W_GPUS, W_UNITS, W_SEEN = 0, 1, 2, 3


class Arrays(NamedTuple):
    """Everything a decision reads and changes; built by layout.py."""

    nodes: Ints  # kernels.py
    code: Ints
    book: Ints
    picks: Ints
    classes: Ints  # [class, C_*]
    gauges: Ints  # (column, capacity, level column): what each GPU's level follows
    gauge_of: Ints  # [class, (first, count)] into gauges
    cores_at: Ints  # [class, number] columns of free millicores, ended by -1
    rank: Ints  # [node] its place among all names: breaks ties between classes
    most: Ints  # [cores, levels] of the largest node: what best fit is measured against
    programs: Ints  # [shape, class, (first variant, variants)]
    shapes: Ints  # [shape, W_*]
    adjust: Ints  # [shape, class] constant part of the score (money), NEVER when refused
    scores: Small  # [shape, node]
    best: Small  # [shape, block]
    log: Ints  # ring of changed nodes
    last: Ints  # [node] its latest log position; [-1] the next position
    freed: Ints  # [node] log position of its latest release, -1 never
    kinds: Ints  # [kind, (capacity, free)] in levels
    scarcity: npt.NDArray[np.float64]  # [kind] micro-GPU per GPU


@jit
def appraise(a: Arrays, node: int) -> None:
    """Bring what is derived from the node's free amounts up to date."""
    nodes, book = a.nodes, a.book
    table = nodes[node, CLASS]
    kind, gpus = a.classes[table, C_KIND], a.classes[table, C_GPUS]
    a.kinds[kind, 1] -= nodes[node, SPARE]
    for field in range(WORTH + 1):
        nodes[node, field] = 0
    for at in range(a.cores_at.shape[1]):
        if a.cores_at[table, at] >= 0:
            nodes[node, CORES] += nodes[node, a.cores_at[table, at]]
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
    nodes[node, WORTH] = worth(nodes, book, node, nodes[node, CORES])


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
def evaluate(
    nodes: Ints, code: Ints, book: Ints, picks: Ints, at: tuple[int, int, int, tuple[int, int, int, int]]
) -> Any:
    """(score, variant, best-fit part) of the best group on a node; one that crosses only when no other fits."""
    node, first, count, weights = at
    best, chosen, fit = np.int64(NEVER), np.int64(-1), np.int64(0)
    for variant in range(first, first + count):
        if code[variant, V_PENALTY] > 0 and chosen >= 0:
            break
        after = fill(nodes, code, book, picks, (node, variant))
        if after == NEVER:
            continue
        cost = fit_cost(nodes, code, picks, node, weights)
        score = max(after - nodes[node, WORTH] - code[variant, V_PENALTY] - cost, np.int64(NEVER + 1))
        if score > best:
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
        best[:] = NEVER
        scores[:] = NEVER
    for entry in range(since, now):
        node = entry if everything else log[entry % log.shape[0]]
        if not everything and last[node] != entry:
            continue
        table, before = nodes[node, CLASS], scores[node]
        count = programs[shape, table, 1]
        if count == 0 or (before == NEVER and not everything and freed[node] < since):
            continue  # what did not fit before more was taken does not fit now
        if everything and node > 0 and same(nodes, node):
            score = np.int64(scores[node - 1])
        else:
            score = evaluate(nodes, code, book, picks, (node, programs[shape, table, 0], count, weights))[0]
        scores[node] = score
        start = classes[table, C_START]
        block = classes[table, C_BLOCK] + (node - start) // BLOCK
        if score >= best[block]:
            best[block] = score
        elif before == best[block]:
            first = start + (node - start) // BLOCK * BLOCK
            best[block] = top_of(scores, first, min(first + BLOCK, classes[table, C_END]))
    a.shapes[shape, W_SEEN] = last[-1]


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
    winner, top, units = np.int64(-1), np.int64(-HUGE), a.shapes[shape, W_UNITS]
    total_units, left = np.int64(0), np.int64(0)
    for k in range(kinds.shape[0]):
        total_units, left = total_units + kinds[k, 0], left + kinds[k, 1]
    for c in range(classes.shape[0]):
        if a.programs[shape, c, 1] == 0 or a.adjust[shape, c] == NEVER:
            continue
        first, blocks = classes[c, C_BLOCK], (classes[c, C_END] - classes[c, C_START] + BLOCK - 1) // BLOCK
        score, block = np.int64(NEVER), np.int64(-1)
        for b in range(first, first + blocks):
            if best[b] > score:
                score, block = np.int64(best[b]), np.int64(b)
        if block < 0:
            continue
        kind = classes[c, C_KIND]
        dear = dearness((kinds[kind, 0], kinds[kind, 1]), (total_units, left), scarcity[kind], units)
        total = score + a.adjust[shape, c] - dear
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
    a.log[at % a.log.shape[0]] = node
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
def take(a: Arrays, shape: int, node: int) -> Any:
    """Book the shape's best devices on the node; they stay readable in `picks`. (score, best-fit part, penalty)"""
    nodes, code, table = a.nodes, a.code, a.nodes[node, CLASS]
    weights = (a.shapes[shape, W_CORES], a.shapes[shape, W_GPUS], a.most[0], a.most[1])
    at = (node, a.programs[shape, table, 0], a.programs[shape, table, 1], weights)
    score, variant, fit = evaluate(nodes, code, a.book, a.picks, at)
    fill(nodes, code, a.book, a.picks, (node, variant))
    move(a, node, a.picks[1 : 1 + a.picks[0]], -1)
    return score, fit, code[variant, V_PENALTY]


@jit
def place(a: Arrays, shape: int) -> Any:
    """Choose and take in one: (node or -1, score, best-fit part, penalty)."""
    node = choose(a, shape)
    if node < 0:
        return node, np.int64(0), np.int64(0), np.int64(0)
    score, fit, penalty = take(a, shape, node)
    return node, score, fit, penalty


@jit
def stream(a: Arrays, shapes: Ints, rows: Ints) -> None:
    """Place one after the other; `rows` receives the node of each, or -1."""
    for i in range(shapes.shape[0]):
        node = choose(a, shapes[i])
        if node >= 0:
            take(a, shapes[i], node)
        rows[i] = node
