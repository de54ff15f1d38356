"""A compiled request as NumPy reads it: the rows of code that kernels walk, as arrays (batch.py).

Needs that only one device could serve are compared in one go; the others keep their slots side
by side, short ones filled up with takes that always fit.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from scheduling.crater.arrays import P_CENSUS, P_NEEDS, P_VARIANT, P_VARIANTS, P_WHOLE, Arrays
from scheduling.crater.kernels import (
    CLASS,
    HUGE,
    N_COUNT,
    N_GPU,
    N_SLOT,
    N_SLOTS,
    S_CORES,
    S_LEVEL,
    S_ROOM,
    S_TAKE,
    S_TAKES,
    T_ENOUGH,
    V_NEED,
    V_NEEDS,
    V_PENALTY,
    V_SHARED,
    Ints,
)
from scheduling.crater.near import C_FINE, C_SLOTS

Floats = npt.NDArray[np.float64]
#: A take of nothing: it fits and moves no level.
_IDLE = (CLASS, -HUGE, 0)
#: Nodes up to which kernels are cheaper where one device is chosen; where more are, fewer.
_FEW = 6


class Ask(NamedTuple):
    """One need: arrays by slot and take."""

    wanted: int
    gpu: bool
    columns: Ints
    amounts: Ints
    capacities: Ints
    shares: Floats
    levels: Ints  # by slot: column of the level, -1 for none
    pools: Ints  # by slot: millicores and bytes of memory


class Choice(NamedTuple):
    """One variant: what has no choice, then the needs that have."""

    penalty: int
    columns: Ints
    amounts: Ints
    pools: Ints
    asks: tuple[Ask, ...]


class Count(NamedTuple):
    """One need of the census: the fine devices, then those that never would do."""

    ask: Ask
    fine: int
    enough: Ints  # by slot and take: one more than would do, could the card be shared; 0: it can


class Program(NamedTuple):
    """One shape on one class."""

    choices: tuple[Choice, ...]
    groups: tuple[tuple[Ask, ...], ...]  # the same by need, for near.py
    census: tuple[Count, ...]
    whole: bool
    is_shared: bool  # picks may load one link: a kernel for each node
    few: int  # nodes up to which a kernel for each is cheaper


def program(a: Arrays, row: Ints) -> Program:
    """The program in a row of Arrays.programs."""
    first, count, census, needs, whole = (int(row[at]) for at in (P_VARIANT, P_VARIANTS, P_CENSUS, P_NEEDS, P_WHOLE))
    code, groups, choices = a.code, [], []
    for variant in code[first : first + count].tolist():
        rows = code[variant[V_NEED] : variant[V_NEED] + variant[V_NEEDS]].tolist()
        groups.append(tuple(_ask(a, n[N_COUNT], (n[N_SLOT], n[N_SLOTS]), bool(n[N_GPU])) for n in rows))
        choices.append(_choice(variant[V_PENALTY], groups[-1]))
    rows = code[census : census + needs].tolist()
    shared = bool(code[first : first + count, V_SHARED].any())
    counts = tuple(_count(a, need) for need in rows)
    most = max((ask.wanted for group in groups for ask in group if ask.gpu), default=1)
    return Program(tuple(choices), tuple(groups), counts, bool(whole), shared, max(1, _FEW // most))


def _count(a: Arrays, need: list[int]) -> Count:
    ask = _ask(a, need[N_COUNT], (need[N_SLOT], need[C_SLOTS]), False)
    made = np.zeros_like(ask.columns)
    for at, slot in enumerate(a.code[need[N_SLOT] : need[N_SLOT] + need[C_SLOTS]].tolist()):
        made[at, : slot[S_TAKES]] = a.code[slot[S_TAKE] : slot[S_TAKE] + slot[S_TAKES], T_ENOUGH]
    return Count(ask, need[C_FINE], made)


def _choice(penalty: int, asks: Sequence[Ask]) -> Choice:
    fixed = [ask for ask in asks if _is_fixed(ask)]
    nothing = np.zeros(0, dtype=np.int64)
    return Choice(
        penalty,
        np.concatenate([nothing, *(ask.columns[0] for ask in fixed)]),
        np.concatenate([nothing, *(ask.amounts[0] for ask in fixed)]),
        sum((ask.pools[0] for ask in fixed), np.zeros(2, dtype=np.int64)),
        tuple(ask for ask in asks if not _is_fixed(ask)),
    )


def _is_fixed(ask: Ask) -> bool:
    return not ask.gpu and len(ask.pools) == 1


def _ask(a: Arrays, count: int, slots: tuple[int, int], gpu: bool) -> Ask:
    first, number = slots
    rows = a.code[first : first + number]
    spans = [(row[S_TAKE], row[S_TAKE] + row[S_TAKES]) for row in rows.tolist()]
    takes = [a.code[start:end, :3].tolist() for start, end in spans]
    width = max((len(take) for take in takes), default=0) or 1
    padded = [[*take, *[_IDLE] * (width - len(take))] for take in takes]
    table = np.array(padded, dtype=np.int64).reshape(number, width, 3)
    shares = np.array([[*a.shares[start:end], *[0.0] * (width - end + start)] for start, end in spans])
    columns, amounts, capacities = (np.ascontiguousarray(table[:, :, at]) for at in range(3))
    return Ask(
        count,
        gpu,
        columns,
        amounts,
        capacities,
        shares.reshape(number, width),
        rows[:, S_LEVEL].copy(),
        rows[:, [S_CORES, S_ROOM]],
    )
