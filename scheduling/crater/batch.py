"""The kernels' arithmetic on many nodes of one class at once, in NumPy: for machines without numba.

Each function answers as its namesake in kernels.py or scoring.py does, to the last bit; `block`
is a copy of the nodes' rows. Nodes where something does not fit are dropped on the way, so the
dear part is done for few.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from scheduling.crater.arrays import C_GPUS, Arrays
from scheduling.crater.columns import Ask, Choice, Program
from scheduling.crater.kernels import CLASS, CORES, FULL, HUGE, LEVELS, NEVER, SPARE, SUMS, WHOLE, WORTH, Ints

Bools = npt.NDArray[np.bool_]
_SLOT, _TIGHT = 12, 20  # bits of a key: the slot, then the level before, then the worth
_MOST_SLOTS = (1 << _SLOT) - 1


class Gauges(NamedTuple):
    """What the levels of a class's GPUs follow, by GPU and gauge, and where free millicores stand."""

    columns: Ints
    capacities: Ints
    otherwise: Ints  # the level where the capacity is 0: none for a gauge, full for filling up
    cores: Ints


class Filled(NamedTuple):
    """Devices chosen for the needs so far, on the nodes where they fit."""

    at: Ints  # which nodes of the block
    after: Ints  # worth, once all needs are met
    cores: Ints  # what is left beside the picks
    spare: Ints


def worth(block: Ints, book: Ints, cores: Ints, whole: Ints) -> Ints:
    """The bound of the best future filling, with these cores and whole GPUs left."""
    parts = block[:, SUMS:LEVELS] + book[FULL + 1 + whole] + book[-1] * cores[:, None]
    least: Ints = parts.min(axis=1)
    return least


def scores(block: Ints, book: Ints, program: Program, weights: tuple[int, int, int, int]) -> Ints:
    """The score of each node by its best group; one that crosses only when no other fits."""
    best, penalty, others = np.full(len(block), NEVER, dtype=np.int64), 0, None
    for choice in program.choices:
        if choice.penalty > penalty:  # only where nothing nearer fits
            penalty, others = choice.penalty, (best == NEVER).nonzero()[0]
        rows = slice(None) if others is None else others
        own = block[rows]
        filled = fill(own, book, choice)
        if len(filled.at):
            cost = weights[0] * filled.cores // weights[2] + weights[1] * filled.spare // weights[3]
            found = np.maximum(filled.after - own[filled.at, WORTH] - choice.penalty - cost, NEVER + 1)
            at = filled.at if others is None else others[filled.at]
            best[at] = np.maximum(best[at], found)
    return best


def fill(block: Ints, book: Ints, choice: Choice) -> Filled:
    """Choose devices for all needs of one variant; GPUs last, because their choice sees the cores left."""
    (at,) = np.nonzero((block[:, choice.columns] >= choice.amounts).all(axis=1))
    block = block[at]
    filled = Filled(at, at, block[:, CORES] - choice.cores, block[:, SPARE])
    for ask in choice.asks:
        if not len(filled.at):
            break
        fits: Bools = np.all(block[:, ask.columns] >= ask.amounts, axis=2)
        (keep,) = np.nonzero(fits.sum(axis=1) >= ask.wanted)
        block, fits, filled = block[keep], fits[keep], Filled(*(part[keep] for part in filled))
        if ask.gpu:
            after, used = (_one_gpu if ask.wanted == 1 else _many_gpus)(block, book, ask, (fits, filled.cores))
            return filled._replace(after=after, spare=filled.spare - used)
        filled = filled._replace(cores=filled.cores - ask.cores[_tightest(block, ask, fits)].sum(axis=1))
    return filled._replace(after=worth(block, book, filled.cores, block[:, WHOLE]))


def _tightest(block: Ints, ask: Ask, fits: Bools) -> Ints:
    """For each node the fitting slots with least to spare, as many as are asked for."""
    if ask.gpu:
        spare = block[:, ask.levels]
    else:
        spare = np.where(ask.columns[:, 0] == CLASS, 0, block[:, ask.columns[:, 0]] - ask.amounts[:, 0])
    ordered: Ints = np.argsort(np.where(fits, spare, HUGE), axis=1, kind="stable")
    return ordered[:, : ask.wanted]


def _one_gpu(block: Ints, book: Ints, ask: Ask, at: tuple[Bools, Ints]) -> tuple[Ints, Ints]:
    """(worth afterwards, levels used) of the GPU whose use leaves each node worth most."""
    fits, cores = at
    rows, slots = np.nonzero(fits)
    before, after = block[rows, ask.levels[slots]], _levels_after(block, ask, (rows, slots))
    whole = block[rows, WHOLE] - (before == FULL) + (after == FULL)
    parts = block[rows, SUMS:LEVELS] - book[before] + book[after] + book[FULL + 1 + whole]
    left = (parts + book[-1] * cores[rows][:, None]).min(axis=1)
    keys = (left << _TIGHT) + ((FULL - before) << _SLOT) + (_MOST_SLOTS - slots)  # then the tighter, then the first
    counts = fits.sum(axis=1)
    best = np.maximum.reduceat(keys, np.cumsum(counts) - counts) if len(keys) else keys
    won = (keys == np.repeat(best, counts)).nonzero()[0]
    return left[won], before[won] - after[won]


def _many_gpus(block: Ints, book: Ints, ask: Ask, at: tuple[Bools, Ints]) -> tuple[Ints, Ints]:
    """(worth afterwards, levels used) with the tightest GPUs taken."""
    picks, cores = _tightest(block, ask, at[0]), at[1]
    rows = np.repeat(np.arange(len(block)), ask.wanted)
    after = _levels_after(block, ask, (rows, picks.ravel())).reshape(picks.shape)
    before = np.take_along_axis(block, ask.levels[picks], axis=1)
    whole = block[:, WHOLE] - (before == FULL).sum(axis=1) + (after == FULL).sum(axis=1)
    parts = block[:, SUMS:LEVELS] + book[FULL + 1 + whole] + book[-1] * cores[:, None]
    least: Ints = (parts + (book[after] - book[before]).sum(axis=1)).min(axis=1)
    return least, (before - after).sum(axis=1)


def _levels_after(block: Ints, ask: Ask, at: tuple[Ints, Ints]) -> Ints:
    """Levels of (rows, slots) once their amounts are taken: the free share of the scarcest dimension."""
    rows, slots = at
    left = block[rows[:, None], ask.columns[slots]] - ask.amounts[slots]
    capacities = ask.capacities[slots]
    levels = np.where(capacities > 0, left * FULL // np.maximum(capacities, 1), FULL).min(axis=1)
    clipped: Ints = np.clip(levels, 0, FULL)
    return clipped


def appraise(block: Ints, book: Ints, gauges: Gauges) -> None:
    """Work out what is derived from the free amounts, in the block itself."""
    block[:, CORES] = block[:, gauges.cores].sum(axis=1)
    shares = block[:, gauges.columns] * FULL // np.maximum(gauges.capacities, 1)
    now = np.where(gauges.capacities > 0, shares, gauges.otherwise)
    levels = np.clip(now.min(axis=2, initial=FULL), 0, FULL)
    block[:, LEVELS : LEVELS + levels.shape[1]] = levels
    block[:, SPARE], block[:, WHOLE] = levels.sum(axis=1), (levels == FULL).sum(axis=1)
    block[:, SUMS:LEVELS] = book[levels].sum(axis=1)
    block[:, WORTH] = worth(block, book, block[:, CORES], block[:, WHOLE])


def gauges_of(a: Arrays, table: int) -> Gauges:
    """The gauges of one class."""
    first, count = a.gauge_of[table].tolist()
    rows = a.gauges[first : first + count].tolist()
    by_gpu = [[row[:2] for row in rows if row[2] == LEVELS + gpu] for gpu in range(int(a.classes[table, C_GPUS]))]
    width = max((len(own) for own in by_gpu), default=0)
    padded = [[*((*row, 0) for row in own), *[(CLASS, 0, FULL)] * (width - len(own))] for own in by_gpu]
    grid = np.array(padded, dtype=np.int64).reshape(len(by_gpu), width, 3)
    cores = a.cores_at[table]
    return Gauges(grid[:, :, 0], grid[:, :, 1], grid[:, :, 2], cores[cores >= 0])
