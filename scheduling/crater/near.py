"""Where does a request that fits nowhere come nearest, and what keeps it out? Kernels beside decide.py.

How near a node comes is what its devices lack, need by need and below zero: a million for each
device that is missing, and the lacking share of the best remaining one in millionths. Its
verdict says which needs fail there; verdicts add up to the devices that each rule turns down,
as explain.py counts them. Like the scores, both are kept for each shape that was refused, and
renewed only where something changed.
"""

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from scheduling.crater.arrays import (
    BLOCK,
    C_BLOCK,
    C_END,
    C_START,
    P_CENSUS,
    P_NEEDS,
    P_VARIANT,
    P_VARIANTS,
    P_WHOLE,
    Arrays,
)
from scheduling.crater.census import FOR_EVER, WIDTH
from scheduling.crater.compiled import inlined, jit
from scheduling.crater.decide import place
from scheduling.crater.kernels import (
    CLASS,
    N_COUNT,
    N_SLOT,
    N_SLOTS,
    NEVER,
    S_TAKE,
    S_TAKES,
    T_AMOUNT,
    T_COLUMN,
    T_ENOUGH,
    V_NEED,
    V_NEEDS,
    Int,
    Ints,
    Small,
)
from scheduling.crater.programs import MOST_TYPES
from scheduling.crater.ranking import rank
from scheduling.crater.scoring import top_of
from scheduling.crater.tables import WHOLE

Floats = npt.NDArray[np.float64]
NOWHERE = 2**31 - 1
CATCH_UP = 512  # changes of nodes that are little work
# what the columns of a row of the census mean, after N_COUNT and N_SLOT
C_FINE, C_SLOTS, C_RULES, C_HELD = 2, 3, 4, 5
# the rules in the order of the totals
RULES = (*FOR_EVER, "free", "isolation", "count", "no_device", "alignment", "cap")
FREE, ISOLATION, COUNT, NO_DEVICE, ALIGNMENT, CAP = 3, 4, 5, 6, 7, 8
# a verdict: a bit for each need that fails, one for each of these with some device left, devices too full, devices
# in use that cannot be shared
FULL_AT, HELD_AT = 2 * MOST_TYPES, 2 * MOST_TYPES + 9
MOST_FULL, MOST_HELD = (1 << 9) - 1, (1 << 8) - 1
APART, FITS = 1 << 29, 1 << 30  # every need is met somewhere on the node: too far apart, or it fits


class Kept(NamedTuple):
    """What is known of one refused shape."""

    close: Small  # [node] minus what it lacks, NEVER where no device would ever do
    tops: Small  # [block] the best of its nodes
    verdicts: Small  # [node]
    totals: Ints  # [rule] devices turned down (nodes for alignment and cap)
    seen: Ints  # position in the log


@inlined
def lacking(nodes: Ints, code: Ints, shares: Floats, node: Int, slots: tuple[Int, Int]) -> Any:
    """(devices that fit, least lacking share in millionths of the others) of (first slot, slots).

    Without branches: whether a device fits is a coin toss, and guessing costs more than the sum.
    """
    fitting, least = np.int64(0), WHOLE - 1.0
    for slot in range(slots[0], slots[0] + slots[1]):
        gap, first = 0.0, code[slot, S_TAKE]
        for t in range(first, first + code[slot, S_TAKES]):
            short = (code[t, T_AMOUNT] - nodes[node, code[t, T_COLUMN]]) * shares[t]
            gap = short if short > gap else gap
        fits = gap == 0.0
        fitting += fits
        other = WHOLE - 1.0 if fits else gap
        least = other if other < least else least
    return fitting, least


@jit
def distance(nodes: Ints, code: Ints, shares: Floats, node: Int, variants: tuple[Int, Int]) -> Any:
    """Least over the node's groups (first variant, variants); NOWHERE where no device would ever do."""
    best = np.int64(NOWHERE)
    for variant in range(variants[0], variants[0] + variants[1]):
        total, need = np.int64(0), code[variant, V_NEED]
        for n in range(need, need + code[variant, V_NEEDS]):
            fitting, least = lacking(nodes, code, shares, node, (code[n, N_SLOT], code[n, N_SLOTS]))
            if fitting < code[n, N_COUNT]:
                total += WHOLE * (code[n, N_COUNT] - fitting - 1) + 1 + np.int64(least)
        best = min(best, total)
    return best


@jit
def turned_down(nodes: Ints, code: Ints, node: Int, slots: tuple[Int, Int]) -> Any:
    """Of (first slot, slots): devices too full, and devices with room enough that cannot be shared."""
    full, held = np.int64(0), np.int64(0)
    for slot in range(slots[0], slots[0] + slots[1]):
        is_full, is_held = False, False
        for t in range(code[slot, S_TAKE], code[slot, S_TAKE] + code[slot, S_TAKES]):
            have = nodes[node, code[t, T_COLUMN]]
            if have < code[t, T_AMOUNT]:
                shared = code[t, T_ENOUGH] > 0 and have > 0 and have >= code[t, T_ENOUGH] - 1
                is_held, is_full = is_held or shared, is_full or not shared
        full, held = full + is_full, held + is_held
    return full, held


@inlined
def judged(nodes: Ints, code: Ints, shares: Floats, node: Int, program: tuple[Int, Int, Int, Int, Int]) -> Any:
    """(what the nearest group lacks, verdict) of one node."""
    total, failing, full, held = np.int64(0), np.int64(0), np.int64(0), np.int64(0)
    for i in range(program[P_NEEDS]):
        need = program[P_CENSUS] + i
        count, first, fine = code[need, N_COUNT], code[need, N_SLOT], code[need, C_FINE]
        fitting, least = lacking(nodes, code, shares, node, (first, fine))
        if fitting < count:
            total += WHOLE * (count - fitting - 1) + 1 + np.int64(least)
            failing |= (1 + (np.int64(fitting > 0) << MOST_TYPES)) << i
            broken = code[need, C_SLOTS] - fine
            if broken > 0 or code[need, C_HELD]:
                more = turned_down(nodes, code, node, (first, fine + broken))
                full, held = full + more[0], held + more[1]
            else:
                full += fine - fitting
    if program[P_WHOLE] == 0:
        total = distance(nodes, code, shares, node, (program[P_VARIANT], program[P_VARIANTS]))
    verdict: Int = failing | min(full, np.int64(MOST_FULL)) << FULL_AT | min(held, np.int64(MOST_HELD)) << HELD_AT
    if failing == 0:
        verdict = np.int64(FITS if total == 0 else APART)
    return total, verdict


@jit
def tally(code: Ints, program: tuple[Int, Int, Int, Int, Int], verdict: Int, totals: Ints, sign: int) -> None:
    """Add a node's verdict to the totals (1), or take it away (-1)."""
    if verdict >= APART:
        totals[CAP if verdict == FITS else ALIGNMENT] += sign
        return
    totals[FREE] += sign * (verdict >> FULL_AT & MOST_FULL)
    totals[ISOLATION] += sign * (verdict >> HELD_AT & MOST_HELD)
    for i in range(program[P_NEEDS]):
        if verdict >> i & 1:
            need = program[P_CENSUS] + i
            for rule in range(FREE):
                totals[rule] += sign * (code[need, C_RULES] >> WIDTH * rule & (1 << WIDTH) - 1)
            if code[need, C_SLOTS] == 0:
                totals[NO_DEVICE] += sign
            elif verdict >> MOST_TYPES + i & 1 or code[need, C_SLOTS] < code[need, N_COUNT]:
                totals[COUNT] += sign


@jit
def renew(a: Arrays, shape: int, kept: Kept) -> None:
    """Bring what is known of the nodes that changed up to date, and their blocks' best."""
    nodes, code, shares, log, last, classes = a.nodes, a.code, a.shares, a.log, a.last, a.classes
    close, tops, verdicts, totals, seen = kept
    since, now, programs = seen[0], last[-1], a.programs[shape]
    everything = since < 0 or now - since > log.shape[0]
    if everything:
        close[:], tops[:], verdicts[:], totals[:] = NEVER, NEVER, 0, 0
    for entry in range(0 if everything else since, nodes.shape[0] if everything else now):
        node = np.int64(entry) if everything else log[entry & (log.shape[0] - 1)]
        if not everything and last[node] != entry:
            continue
        c, old, before = nodes[node, CLASS], verdicts[node], close[node]
        program = (programs[c, 0], programs[c, 1], programs[c, 2], programs[c, 3], programs[c, 4])
        lacks, verdict = judged(nodes, code, shares, node, program)
        if verdict != old:
            if old != 0:
                tally(code, program, old, totals, -1)
            tally(code, program, verdict, totals, 1)
            verdicts[node] = verdict
        close[node] = -lacks if lacks < NOWHERE else NEVER
        block = classes[c, C_BLOCK] + (node - classes[c, C_START]) // BLOCK
        if close[node] >= tops[block]:
            tops[block] = close[node]
        elif before == tops[block]:
            first = classes[c, C_START] + (node - classes[c, C_START]) // BLOCK * BLOCK
            tops[block] = top_of(close, first, min(first + BLOCK, classes[c, C_END]))
    seen[0] = now


@jit
def outstanding(a: Arrays, shape: int, node: int) -> Any:
    """The slots that the node's nearest group would need next, one for each need it fails, into `picks`; how many."""
    nodes, code, shares, program = a.nodes, a.code, a.shares, a.programs[shape, a.nodes[node, CLASS]]
    chosen, least, a.picks[0] = np.int64(-1), np.int64(NOWHERE), 0
    for variant in range(program[P_VARIANT], program[P_VARIANT] + program[P_VARIANTS]):
        lacks = distance(nodes, code, shares, node, (variant, 1))
        if lacks < least:
            chosen, least = np.int64(variant), lacks
    if chosen >= 0:
        for need in range(code[chosen, V_NEED], code[chosen, V_NEED] + code[chosen, V_NEEDS]):
            slots = (code[need, N_SLOT], code[need, N_SLOTS])
            missing = code[need, N_COUNT] - lacking(nodes, code, shares, node, slots)[0]
            if missing > 0:
                a.picks[0] += 1
                a.picks[a.picks[0]] = last_needed(nodes, code, shares, node, (slots[0], slots[1], missing))
    return a.picks[0]


@jit
def last_needed(nodes: Ints, code: Ints, shares: Floats, node: int, asked: tuple[Int, Int, Int]) -> Any:
    """Of (first slot, slots, missing) the one that would be found last, were those that lack least found first."""
    first, slots, missing = asked
    gap, found = 0.0, np.int64(-1)
    for _ in range(missing):
        least, nearest = 2.0 * WHOLE, np.int64(-1)
        for slot in range(first, first + slots):
            own = lacking(nodes, code, shares, node, (slot, 1))
            later = own[0] == 0 and (own[1] > gap or (own[1] == gap and slot > found))
            if later and own[1] < least:
                least, nearest = own[1], np.int64(slot)
        gap, found = least, nearest
    return found


@jit
def survey(a: Arrays, shape: int, kept: Kept, most: int) -> Any:
    """The nearest nodes with their lacks into `ranked`, what the first would need into `picks`; how many of each."""
    renew(a, shape, kept)
    a.points[:] = 0
    count = rank(a, (kept.close, kept.tops), a.points, most)
    for i in range(count):
        a.ranked[1, i] = -a.ranked[1, i]
    return count, outstanding(a, shape, a.ranked[0, 0]) if count > 0 else np.int64(0)


@jit
def attempt(a: Arrays, shape: int, kept: Kept, was_refused: bool, most: int) -> Any:
    """As decide.place, for a shape that was refused lately; where it fits nowhere, followed by what survey answers.

    What was refused just before is surveyed first: where it still fits nowhere, its scores can wait. What is
    placed may be refused the next time, and then at once: its distances are renewed too, where that is little work.
    """
    if was_refused:
        renew(a, shape, kept)
    if not was_refused or kept.totals[CAP] > 0:
        found = place(a, shape, most)
        if found[0] >= 0:
            if kept.seen[0] >= 0 and a.last[-1] - kept.seen[0] <= CATCH_UP:
                renew(a, shape, kept)
            return found, np.int64(0)
    count, short = survey(a, shape, kept, most)
    nothing = np.int64(0)
    return (np.int64(-1), nothing, nothing, nothing, nothing, nothing, count), short


def fresh(nodes: int, blocks: int) -> Kept:
    """Nothing known yet."""
    return Kept(
        np.full(max(1, nodes), NEVER, dtype=np.int32),
        np.full(max(1, blocks), NEVER, dtype=np.int32),
        np.zeros(max(1, nodes), dtype=np.int32),
        np.zeros(len(RULES), dtype=np.int64),
        np.full(1, -1, dtype=np.int64),
    )
