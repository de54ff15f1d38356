"""The verdicts of near.py on many nodes at once, whatever their classes: for machines without numba.

A need is laid out over all classes: arrays by slot and class, where a slot that a class does not
have asks for more than there can be. So some dozens of NumPy calls judge any number of nodes. What is
special about a class (cards held whole, devices that must be near each other) is done for it alone.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from scheduling.crater.columns import Ask, Count, Floats, Program
from scheduling.crater.kernels import CLASS, HUGE, NEVER, Ints
from scheduling.crater.near import (
    ALIGNMENT,
    APART,
    CAP,
    FITS,
    FREE,
    FULL_AT,
    HELD_AT,
    ISOLATION,
    MOST_FULL,
    MOST_HELD,
    NOWHERE,
    RULES,
)
from scheduling.crater.programs import MOST_TYPES
from scheduling.crater.tables import WHOLE as DEVICE

Bools = npt.NDArray[np.bool_]
_BITS = (1 << 2 * MOST_TYPES) - 1


class Need(NamedTuple):
    """One need on all classes: [slot, class], or [slot, 1] where all classes agree."""

    wanted: int
    takes: tuple[tuple[Ints, Ints, Floats], ...]  # columns, amounts, millionths of a device that one unit is
    slots: Ints  # [class] devices of the type
    broken: Bools | None  # those that not even an empty node could give, if there are any
    held: tuple[int, ...]  # classes with cards that are held whole


class Judge(NamedTuple):
    """One shape on all classes."""

    programs: tuple[Program, ...]
    needs: tuple[Need, ...]
    narrow: tuple[int, ...]  # classes where devices must be near each other


def judge_of(programs: Sequence[Program]) -> Judge:
    """The programs of one shape, by class, side by side."""
    counts = zip(*(program.census for program in programs), strict=True)
    narrow = tuple(table for table, program in enumerate(programs) if not program.whole)
    return Judge(tuple(programs), tuple(_need(by_class) for by_class in counts), narrow)


def _need(counts: Sequence[Count]) -> Need:
    slots = np.array([len(count.ask.columns) for count in counts])
    shape = max(c.ask.columns.shape[1] for c in counts), max(1, *slots.tolist()), len(counts)
    columns, amounts, shares = np.full(shape, -1), np.full(shape, -HUGE), np.zeros(shape)
    for table, (count, own) in enumerate(zip(counts, slots.tolist(), strict=True)):
        takes = count.ask.columns.shape[1]
        amounts[:, own:, table] = HUGE
        columns[:takes, :own, table], amounts[:takes, :own, table] = count.ask.columns.T, count.ask.amounts.T
        shares[:takes, :own, table] = count.ask.shares.T
    known = columns.max(axis=2)
    columns = np.where(columns < 0, np.where(known < 0, CLASS, known)[:, :, None], columns)
    shares = np.where(amounts == HUGE, np.maximum(shares.max(axis=2), 1.0)[:, :, None], shares)
    takes_of = zip(map(_alike, columns), map(_alike, amounts), map(_alike, shares), strict=True)
    broken: Bools = np.arange(shape[1])[:, None] >= np.array([count.fine for count in counts])
    held = tuple(table for table, count in enumerate(counts) if (count.enough > 0).any())
    any_broken = any(count.fine < own for count, own in zip(counts, slots.tolist(), strict=True))
    return Need(counts[0].ask.wanted, tuple(takes_of), slots, broken if any_broken else None, held)


def _alike(values: Any) -> Any:
    """[slot, class] as [slot, 1] where all classes agree."""
    return values[:, :1].copy() if (values == values[:, :1]).all() else values


def judged(nodes: Ints, at: Ints, tables: Ints, judge: Judge) -> tuple[Ints, Ints]:
    """(minus what the nearest group lacks or NEVER, verdict) of the nodes `at`, which are of the classes `tables`."""
    total, failing, full, held = (np.zeros(len(at), dtype=np.int64) for _ in range(4))
    for i, need in enumerate(judge.needs):
        fitting, down, least = _lacking(nodes, at, tables, need)
        missing = need.wanted - fitting
        fails = missing > 0
        total += np.where(fails, DEVICE * (missing - 1) + 1 + least, 0)
        failing |= (fails + ((fails & (fitting > 0)).astype(np.int64) << MOST_TYPES)) << i
        for table in need.held:
            (rows,) = np.nonzero(fails & (tables == table))
            down[rows], more = turned_down(nodes[at[rows]], judge.programs[table].census[i])
            held[rows] += more
        full += np.where(fails, down, 0)
    for table in judge.narrow:
        (rows,) = np.nonzero(tables == table)
        total[rows] = distances(nodes[at[rows]], judge.programs[table])
    met = np.where(total == 0, FITS, APART)
    too_much = np.minimum(full, MOST_FULL) << FULL_AT | np.minimum(held, MOST_HELD) << HELD_AT
    return np.where(total < NOWHERE, -total, NEVER), np.where(failing == 0, met, failing | too_much)


def _lacking(nodes: Ints, at: Ints, tables: Ints, need: Need) -> tuple[Ints, Ints, Ints]:
    """By node: devices that fit, devices too full, the least lacking share of the latter in millionths."""
    flat, rows, gaps = nodes.reshape(-1), at * nodes.shape[1], np.zeros(1)
    for columns, amounts, shares in need.takes:
        have = flat.take(_of(columns, tables) + rows)
        gaps = np.maximum((_of(amounts, tables) - have) * _of(shares, tables), gaps)
    fits: Bools = gaps <= 0
    down = need.slots[tables] - fits.sum(axis=0)
    if need.broken is not None:
        broken = _of(need.broken, tables)
        fitting = (fits & ~broken).sum(axis=0)
        fits = fits | broken
    else:
        fitting = need.slots[tables] - down
    least = np.minimum(np.where(fits, DEVICE - 1.0, gaps).min(axis=0), DEVICE - 1.0)
    return fitting, down, least.astype(np.int64)


def _of(values: Any, tables: Ints) -> Any:
    return values if values.shape[1] == 1 else values.take(tables, axis=1)


def distances(block: Ints, program: Program) -> Ints:
    """As near.distance, of nodes of one class; `block` is a copy of their rows."""
    total = np.full(len(block), NOWHERE, dtype=np.int64)
    for group in program.groups:
        total = np.minimum(total, sum((_apart(block, ask) for ask in group), np.zeros_like(total)))
    return total


def _apart(block: Ints, ask: Ask) -> Ints:
    """What one need misses in millionths of a device."""
    gaps = ((ask.amounts - block[:, ask.columns]) * ask.shares).max(axis=2)
    fits = gaps <= 0
    missing = ask.wanted - fits.sum(axis=1)
    least = np.where(fits, DEVICE - 1.0, gaps).min(axis=1, initial=DEVICE - 1.0).astype(np.int64)
    return np.where(missing > 0, DEVICE * (missing - 1) + 1 + least, 0)


def turned_down(block: Ints, count: Count) -> tuple[Ints, Ints]:
    """As near.turned_down: devices too full, and devices with room enough that cannot be shared."""
    have = block[:, count.ask.columns]
    lacks = have < count.ask.amounts
    shared = lacks & (count.enough > 0) & (have > 0) & (have >= count.enough - 1)
    return (lacks & ~shared).any(axis=2).sum(axis=1), shared.any(axis=2).sum(axis=1)


def tallied(tables: Ints, verdicts: Ints, signs: Ints) -> tuple[Ints, dict[tuple[int, int], int]]:
    """What verdicts add to the totals, and how often needs fail alike: (class, bits of the needs) -> times."""
    totals = np.zeros(len(RULES), dtype=np.int64)
    totals[FREE] = (signs * (verdicts >> FULL_AT & MOST_FULL)).sum()
    totals[ISOLATION] = (signs * (verdicts >> HELD_AT & MOST_HELD)).sum()
    met = verdicts >= APART
    if met.any():
        totals[ALIGNMENT], totals[CAP] = signs[verdicts == APART].sum(), signs[verdicts == FITS].sum()
    bits = verdicts & _BITS
    keys, inverse = np.unique(tables << 2 * MOST_TYPES | bits, return_inverse=True)
    times = np.bincount(inverse, weights=signs).astype(np.int64).tolist()
    found = zip(keys.tolist(), times, strict=True)
    return totals, {(key >> 2 * MOST_TYPES, key & _BITS): count for key, count in found if count and key & _BITS}
