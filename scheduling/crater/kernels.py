"""The innermost arithmetic of the planner: does it fit a node, and what is the node worth then?

Written in the part of Python that numba compiles. With numba (the extra `fast`) it runs as
machine code; without it batch.py does the same with NumPy. All figures are integers, so both
give the same plan bit for bit. Units: worth in millionths of a GPU, amounts in base units,
levels in hundredths of a device.

Three arrays and a scratch, because handing many arrays around costs more than the work:
`nodes`  one row a node: the fields below, worths of its partly used GPUs (by price),
         levels of its GPUs, then free amounts by column
`code`   rows of seven: variants, needs, slots and takes of the compiled requests (tables.py)
`book`   [class, row, price]: worth of 0..100 levels, of 0.. free GPUs, and the prices
`picks`  [0] how many devices are chosen, then the rows of their slots
"""

from typing import Any

import numpy as np
import numpy.typing as npt

from scheduling.crater.compiled import inlined, jit

Ints = npt.NDArray[np.int64]
Small = npt.NDArray[np.int32]
Int = Any  # an int here, a 64-bit integer in machine code

NEVER = -(2**31) + 1  # a score below every other: it does not fit
HUGE = 2**62
FULL = 100
CORE, PRICES = 15, 17  # prices in a book: of a millicore up to CORE, then of a MiB
MIB_BITS = 20
WIDTH = 7  # of a row of code
# fields of a node's row
CORES, ROOM, WHOLE, SPARE, WORTH, CLASS, SUMS = 0, 1, 2, 3, 4, 5, 6
LEVELS = SUMS + PRICES
# what the columns of a row of code mean, by the kind of row
V_NEED, V_NEEDS, V_PENALTY, V_SHARED, V_GPUS = 0, 1, 2, 3, 4  # V_GPUS: the row of the need for GPUs or -1
N_COUNT, N_SLOT, N_SLOTS, N_GPU, N_ALIKE, N_SHARED = 0, 1, 2, 3, 4, 5
S_DEVICE, S_LEVEL, S_CORES, S_TAKE, S_TAKES, S_NEED, S_ROOM = 0, 1, 2, 3, 4, 5, 6
# S_LEVEL: column of the level, -1 for no GPU; S_CORES and S_ROOM: millicores and bytes
T_COLUMN, T_AMOUNT, T_CAPACITY = 0, 1, 2  # capacity of what the level follows, else 0
T_ENOUGH = 3  # in a census: one more than would do, could the card be shared; 0: it can be
ON_LINK = -1  # in place of a capacity: the column is that of a link, which other picks may load too


@inlined
def worth(nodes: Ints, book: Ints, node: int, left: tuple[Int, Int]) -> Any:
    """The node as it is, with these millicores and bytes left: the bound of its best future filling."""
    table, row, least = nodes[node, CLASS], FULL + 1 + nodes[node, WHOLE], np.int64(HUGE)
    last, cores, room = book.shape[1] - 1, left[0], left[1] >> MIB_BITS
    for m in range(CORE):
        least = min(least, nodes[node, SUMS + m] + book[table, row, m] + book[table, last, m] * cores)
    for m in range(CORE, PRICES):
        least = min(least, nodes[node, SUMS + m] + book[table, row, m] + book[table, last, m] * room)
    return least


@inlined
def worth_after(nodes: Ints, book: Ints, node: int, left: tuple[Int, Int], change: tuple[Int, Int]) -> Any:
    """The same after one GPU has gone from one level to another."""
    before, after = change
    table, least, last = nodes[node, CLASS], np.int64(HUGE), book.shape[1] - 1
    row, cores, room = FULL + 1 + nodes[node, WHOLE] - (before == FULL) + (after == FULL), left[0], left[1] >> MIB_BITS
    for m in range(CORE):
        part = nodes[node, SUMS + m] - book[table, before, m] + book[table, after, m]
        least = min(least, part + book[table, row, m] + book[table, last, m] * cores)
    for m in range(CORE, PRICES):
        part = nodes[node, SUMS + m] - book[table, before, m] + book[table, after, m]
        least = min(least, part + book[table, row, m] + book[table, last, m] * room)
    return least


@inlined
def slot_fits(nodes: Ints, code: Ints, node: int, slot: int) -> bool:
    """Whether the device has all that is asked."""
    first = code[slot, S_TAKE]
    for take in range(first, first + code[slot, S_TAKES]):
        if nodes[node, code[take, T_COLUMN]] < code[take, T_AMOUNT]:
            return False
    return True


@inlined
def level_after(nodes: Ints, code: Ints, node: int, slot: int) -> Any:
    """The GPU's level once the slot's amounts are taken: the free share of its scarcest dimension."""
    first, least = code[slot, S_TAKE], np.int64(FULL)
    for take in range(first, first + code[slot, S_TAKES]):
        if code[take, T_CAPACITY] > 0:
            left = nodes[node, code[take, T_COLUMN]] - code[take, T_AMOUNT]
            least = min(least, left * FULL // code[take, T_CAPACITY])
    return max(np.int64(0), least)


@inlined
def twins(nodes: Ints, code: Ints, node: int, slots: tuple[Int, Int]) -> bool:
    """Whether two alike devices are in the same state as far as the need can tell."""
    one, other = code[slots[0], S_TAKE], code[slots[1], S_TAKE]
    for t in range(code[slots[0], S_TAKES]):
        if nodes[node, code[one + t, T_COLUMN]] != nodes[node, code[other + t, T_COLUMN]]:
            return False
    return True


@inlined
def load(nodes: Ints, code: Ints, node: int, slot: int, sign: int) -> None:
    """Take what the slot puts on links (-1), or give it back (1): picks of one job see each other's."""
    first = code[slot, S_TAKE]
    for take in range(first, first + code[slot, S_TAKES]):
        if code[take, T_CAPACITY] == ON_LINK:
            nodes[node, code[take, T_COLUMN]] += sign * code[take, T_AMOUNT]


@inlined
def append(nodes: Ints, code: Ints, picks: Ints, node: int, chosen: tuple[Int, Int]) -> None:
    """One more pick, as (need, slot)."""
    need, slot = chosen
    picks[1 + picks[0]] = slot
    picks[0] += 1
    if code[need, N_SHARED]:
        load(nodes, code, node, slot, -1)


@jit
def tightest(nodes: Ints, code: Ints, picks: Ints, node: int, need: int) -> bool:
    """Append to the picks the devices with least to spare; False when there are too few."""
    first, chosen = code[need, N_SLOT], picks[0]
    for _ in range(code[need, N_COUNT]):
        best, least = -1, np.int64(HUGE)
        for slot in range(first, first + code[need, N_SLOTS]):
            used = False
            for p in range(chosen, picks[0]):
                used = used or picks[1 + p] == slot
            if used or not slot_fits(nodes, code, node, slot):
                continue
            take, at = code[slot, S_TAKE], code[slot, S_LEVEL]
            spare = np.int64(0)
            if at >= 0:
                spare = nodes[node, at]
            elif code[slot, S_TAKES] > 0:
                spare = nodes[node, code[take, T_COLUMN]] - code[take, T_AMOUNT]
            if spare < least:
                best, least = slot, spare
        if best < 0:
            return False
        append(nodes, code, picks, node, (need, best))
    return True


@jit
def one_gpu(nodes: Ints, code: Ints, book: Ints, picks: Ints, at: tuple[int, int, tuple[Int, Int]]) -> Any:
    """Pick the GPU whose use leaves the node worth most; NEVER when none fits."""
    node, need, left = at
    best: Int = np.int64(NEVER)
    chosen: Int = np.int64(-1)
    tight: Int = np.int64(FULL + 1)
    last: Int = np.int64(-1)
    first = code[need, N_SLOT]
    for slot in range(first, first + code[need, N_SLOTS]):
        if last >= 0 and code[need, N_ALIKE] and twins(nodes, code, node, (last, slot)):
            continue
        last = slot
        if not slot_fits(nodes, code, node, slot):
            continue
        before = nodes[node, code[slot, S_LEVEL]]
        after = worth_after(nodes, book, node, left, (before, level_after(nodes, code, node, slot)))
        if after > best or (after == best and before < tight):
            best, chosen, tight = after, slot, before
    if chosen >= 0:
        append(nodes, code, picks, node, (need, chosen))
    return best


@jit
def many_gpus(nodes: Ints, code: Ints, book: Ints, picks: Ints, at: tuple[int, int, tuple[Int, Int]]) -> Any:
    """Pick the tightest GPUs that fit; worth of the node afterwards, NEVER when too few fit."""
    node, need, left = at
    chosen, table, last = picks[0], nodes[node, CLASS], book.shape[1] - 1
    if not tightest(nodes, code, picks, node, need):
        return np.int64(NEVER)
    whole, least = nodes[node, WHOLE], np.int64(HUGE)
    for p in range(chosen, picks[0]):
        whole -= nodes[node, code[picks[1 + p], S_LEVEL]] == FULL
        whole += level_after(nodes, code, node, picks[1 + p]) == FULL
    for m in range(PRICES):
        amount = left[0] if m < CORE else left[1] >> MIB_BITS
        part = nodes[node, SUMS + m] + book[table, FULL + 1 + whole, m] + book[table, last, m] * amount
        for p in range(chosen, picks[0]):
            before, after = nodes[node, code[picks[1 + p], S_LEVEL]], level_after(nodes, code, node, picks[1 + p])
            part += book[table, after, m] - book[table, before, m]
        least = min(least, part)
    return least


@jit
def choose_all(nodes: Ints, code: Ints, book: Ints, picks: Ints, at: tuple[int, int]) -> Any:
    """As fill, with what the picks put on shared links taken from the node."""
    node, variant = at
    cores, room = nodes[node, CORES], nodes[node, ROOM]
    first = code[variant, V_NEED]
    for need in range(first, first + code[variant, V_NEEDS]):
        before = picks[0]
        if code[need, N_GPU] == 0:
            if code[need, N_SLOTS] == 1:
                if not slot_fits(nodes, code, node, code[need, N_SLOT]):
                    return np.int64(NEVER)
                append(nodes, code, picks, node, (need, code[need, N_SLOT]))
            elif not tightest(nodes, code, picks, node, need):
                return np.int64(NEVER)
            for p in range(before, picks[0]):
                cores -= code[picks[1 + p], S_CORES]
                room -= code[picks[1 + p], S_ROOM]
        elif code[need, N_COUNT] == 1:
            return one_gpu(nodes, code, book, picks, (node, need, (cores, room)))
        else:
            return many_gpus(nodes, code, book, picks, (node, need, (cores, room)))
    return worth(nodes, book, node, (cores, room))


@jit
def fill(nodes: Ints, code: Ints, book: Ints, picks: Ints, at: tuple[int, int]) -> Any:
    """Choose devices for all needs of one variant; what the node is worth then, or NEVER. The node stays as it is."""
    node, variant = at
    picks[0] = 0
    after = choose_all(nodes, code, book, picks, at)
    if code[variant, V_SHARED]:
        for p in range(picks[0]):
            load(nodes, code, node, picks[1 + p], 1)
    return after
