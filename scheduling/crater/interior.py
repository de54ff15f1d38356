"""Solve a linear programme, ending in the middle of its optimal face.

min c x, A x = b, x >= 0 by a primal-dual interior-point method (Mehrotra's predictor and
corrector). It does not go on to a vertex: where many dual prices are optimal, the middle one
treats equal things equally, and that is what makes the prices useful (shadow.py). The first
`blocks` groups of `size` rows touch each other only through the remaining rows, so each step
eliminates block by block.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Index = npt.NDArray[np.int64]

STEPS = 80
CLOSE_ENOUGH = 1e-9
NO_CLOSER = 1e-12  # a gap below which rounding alone speaks


@dataclass(frozen=True)
class Programme:
    """A as (row, column, value) triples with columns in order; rows as described above."""

    row: Index
    column: Index
    value: Floats
    b: Floats
    c: Floats
    blocks: int
    size: int

    def times(self, x: Floats) -> Floats:
        """A x"""
        return _summed(self.row, self.value * x[self.column], len(self.b))

    def back(self, y: Floats) -> Floats:
        """A' y"""
        return _summed(self.column, self.value * y[self.row], len(self.c))


def _summed(at: Index, values: Floats, length: int) -> Floats:
    """Sums of the values by place."""
    return np.bincount(at, values, length).astype(np.float64)


def solve(p: Programme) -> tuple[Floats, Floats]:
    """(x, y): an optimal point and the dual prices of the rows; the nearest found where rounding ends the search."""
    pairs = _Pairs(p)
    x, y, s = _start(p, pairs)
    scale = 1 + float(np.abs(p.b).max()), 1 + float(np.abs(p.c).max())
    best = np.inf, x, y
    for _ in range(STEPS):
        primal, dual, gap = p.b - p.times(x), p.c - p.back(y) - s, float(x @ s) / len(x)
        error = max(float(np.abs(primal).max()) / scale[0], float(np.abs(dual).max()) / scale[1], gap)
        if error < best[0]:
            best = error, x, y
        if error < CLOSE_ENOUGH or gap < NO_CLOSER:
            break
        try:
            factor = pairs.factor(x / s)
        except np.linalg.LinAlgError:
            break
        x, y, s = _stepped(p, factor, (x, y, s), (primal, dual, gap))
    return best[1], best[2]


def _stepped(
    p: Programme, factor: "_Factor", at: tuple[Floats, Floats, Floats], off: tuple[Floats, Floats, float]
) -> tuple[Floats, Floats, Floats]:
    """One step: a guess, then the correction that it calls for."""
    (x, y, s), (primal, dual, gap) = at, off
    guess = _direction(p, factor, (x, s), (primal, dual, -x * s))
    far = float((x + _reach(x, guess[0]) * guess[0]) @ (s + _reach(s, guess[2]) * guess[2])) / len(x)
    centre = (far / gap) ** 3 * gap - x * s - guess[0] * guess[2]
    dx, dy, ds = _direction(p, factor, (x, s), (primal, dual, centre))
    step, dual_step = 0.99 * _reach(x, dx), 0.99 * _reach(s, ds)
    return x + min(1.0, step) * dx, y + min(1.0, dual_step) * dy, s + min(1.0, dual_step) * ds


def _reach(x: Floats, dx: Floats) -> float:
    """The longest step that keeps x positive, at most just above one."""
    down = dx < 0
    return min(1.02, float((-x[down] / dx[down]).min())) if down.any() else 1.02


def _direction(
    p: Programme, factor: "_Factor", point: tuple[Floats, Floats], residuals: tuple[Floats, Floats, Floats]
) -> tuple[Floats, Floats, Floats]:
    (x, s), (primal, dual, complementary) = point, residuals
    dy = factor.solve(primal + p.times((x * dual - complementary) / s))
    ds = dual - p.back(dy)
    return (complementary - x * ds) / s, dy, ds


def _start(p: Programme, pairs: "_Pairs") -> tuple[Floats, Floats, Floats]:
    """Mehrotra's starting point: least squares, moved well inside."""
    factor = pairs.factor(np.ones(len(p.c)))
    x, y = p.back(factor.solve(p.b)), factor.solve(p.times(p.c))
    s = p.c - p.back(y)
    x, s = x + max(0.0, -1.5 * float(x.min())), s + max(0.0, -1.5 * float(s.min()))
    product = float(x @ s)
    x, s = x + 0.5 * product / max(float(s.sum()), 1e-12) + 1e-6, s + 0.5 * product / max(float(x.sum()), 1e-12) + 1e-6
    return x, y, s


class _Pairs:
    """Which pairs of entries of a column meet in A D A'."""

    def __init__(self, p: Programme) -> None:
        self.p = p
        first = np.searchsorted(p.column, np.arange(len(p.c) + 1))
        counts = np.diff(first)
        left = np.repeat(np.arange(len(p.row)), counts[p.column])
        starts = np.repeat(first[p.column], counts[p.column])
        within = np.arange(len(left)) - np.repeat(np.cumsum(counts[p.column]) - counts[p.column], counts[p.column])
        right = starts + within
        self.cell = p.row[left] * len(p.b) + p.row[right]
        self.weight = p.value[left] * p.value[right]
        self.of = p.column[left]

    def factor(self, d: Floats) -> "_Factor":
        rows = len(self.p.b)
        matrix = _summed(self.cell, self.weight * d[self.of], rows * rows).reshape(rows, rows)
        matrix[np.diag_indices(rows)] += 1e-13 * max(1.0, float(matrix.diagonal().max()) * 1e-4)
        return _Factor(matrix, self.p.blocks, self.p.size)


class _Factor:
    """Solves with A D A': each block alone, then what links them."""

    def __init__(self, matrix: Floats, blocks: int, size: int) -> None:
        self.blocks, self.size, inner = blocks, size, blocks * size
        cut = [slice(i * size, (i + 1) * size) for i in range(blocks)]
        self.inverse = np.linalg.inv(np.stack([matrix[rows, rows] for rows in cut]))
        self.link = np.stack([matrix[rows, inner:] for rows in cut])
        self.towards = self.inverse @ self.link
        through = np.einsum("tij,tik->jk", self.link, self.towards, optimize=True)
        self.rest = np.linalg.inv(matrix[inner:, inner:] - through)

    def solve(self, rhs: Floats) -> Floats:
        inner = rhs[: self.blocks * self.size].reshape(self.blocks, self.size)
        alone = np.einsum("tij,tj->ti", self.inverse, inner)
        rest: Floats = self.rest @ (rhs[self.blocks * self.size :] - np.einsum("tij,ti->j", self.link, alone))
        return np.concatenate([(alone - self.towards @ rest).ravel(), rest])
