"""What is a job of each shape worth when the demand grows until the cluster is full?

The largest load rho such that rho times the demand mix fits is a linear programme: jobs choose
classes of nodes, jobs on part of a device fill devices by patterns (paths through levels 0 to
100), cores, memory and other pools add up by class. The dual price of a shape's demand is the
worth of one such job: 350 thousandths of a GPU that always come with a second such job and a
waste of 300 are worth half a GPU. Refreshed out of band: a solve takes seconds, a decision
only reads the tables made from it (worth.py).
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from scheduling.crater.fleet import LEVELS
from scheduling.crater.interior import Floats, Programme, solve

#: Below this part GPUs are not what limits the load.
BOTTLENECK = 0.01
LITTLE = 0.05  # of a shape's size: hardly a price


@dataclass(frozen=True, slots=True)
class Stock:
    """One class of nodes: how many, GPUs of each, and each node's pools (cores, memory, ...)."""

    nodes: int
    gpus: int
    pools: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Wanted:
    """One shape: its share of all jobs, devices, and on each class its level and pools (None: never fits)."""

    share: float
    count: int
    on: tuple[tuple[int, tuple[int, ...]] | None, ...]


def prices(stocks: Sequence[Stock], mix: Sequence[Wanted]) -> list[float]:
    """Worth of each shape in GPUs: dual prices, scaled so that a GPU is worth 1 on average.

    Where something else than GPUs in general limits the load (cores, memory, a few nodes that one shape
    insists on), most shapes have no price beside it. Then the worth is what packing makes it: GPUs alone,
    and if need be on any node that has enough of them.
    """
    if not any(stock.gpus for stock in stocks):
        return [0.0] * len(mix)
    found, part = _of_those(mix, lambda w: any(on is not None for on in w.on), stocks)
    bare, alone = [replace(stock, pools=()) for stock in stocks], mix
    for simpler in (_gpus_only, _anywhere):
        if part >= BOTTLENECK and not _is_lopsided(alone, found):
            break
        alone = [simpler(w, bare) for w in alone]
        found, part = _of_those(alone, lambda w: any(on and on[0] for on in w.on), bare)
    return found


def _gpus_only(wanted: Wanted, stocks: Sequence[Stock]) -> Wanted:
    return replace(wanted, on=tuple(on and (on[0], ()) for on in wanted.on))


def _anywhere(wanted: Wanted, stocks: Sequence[Stock]) -> Wanted:
    """On every class with as many GPUs as the shape takes, if there is any where it fits."""
    level = max((on[0] for on in wanted.on if on), default=0)
    return replace(wanted, on=tuple((level, ()) if level and stock.gpus >= wanted.count else None for stock in stocks))


def _is_lopsided(mix: Sequence[Wanted], found: Sequence[float]) -> bool:
    """Whether most of what is asked of GPUs has next to no price."""
    sizes = [w.share * max((on[0] for on in w.on if on), default=0) * w.count / LEVELS for w in mix]
    little = sum(s for s, w, price in zip(sizes, mix, found, strict=True) if price * w.share < LITTLE * s)
    return little > sum(sizes) / 2


def _of_those(
    mix: Sequence[Wanted], counts: Callable[[Wanted], bool], stocks: Sequence[Stock]
) -> tuple[list[float], float]:
    """Prices from the shapes that count, 0 for the others; and the GPUs' part of what limits the load."""
    chosen = [w for w in mix if counts(w)]
    if not chosen:
        return [0.0] * len(mix), 1.0
    found, part = _duals(stocks, chosen)
    known = iter(found)
    return [next(known) if counts(w) else 0.0 for w in mix], part


def _duals(stocks: Sequence[Stock], mix: Sequence[Wanted]) -> tuple[list[float], float]:
    """(price of each shape, the GPUs' part of all that limits the load)."""
    programme = Build(stocks, mix).programme()
    x, y = solve(programme)
    inner = programme.blocks * programme.size
    per_gpu = -y[:inner].reshape(programme.blocks, programme.size)[:, 0]
    gpus = np.array([stock.nodes * stock.gpus for stock in stocks], dtype=np.float64)
    mean = float(per_gpu @ gpus) / float(gpus.sum())
    found = [max(0.0, float(price) / mean) if mean > 0 else 0.0 for price in y[inner:]]
    return found, mean / max(float(x[0]), 1e-12)


class Build:
    """Builds the programme.

    Rows of a class: 0 whole devices, 1..99 levels, pools, sizes; then one row for each shape.
    """

    def __init__(self, stocks: Sequence[Stock], mix: Sequence[Wanted]) -> None:
        self.stocks, self.mix = stocks, mix
        self.gpus = max(1, sum(stock.nodes * stock.gpus for stock in stocks))
        self.pools = len(stocks[0].pools)
        self.sizes = sorted({on[0] for w in mix for on in w.on if on and w.count == 1 and 0 < on[0] < LEVELS})
        self.size = LEVELS + self.pools + len(self.sizes)
        self.entries: list[tuple[int, int, float]] = []
        self.columns = 1  # column 0 is rho

    def programme(self) -> Programme:
        """Maximum load: column 0 is how often the mix fits."""
        inner, count = self.size * len(self.stocks), len(self.mix)
        total = sum(w.share for w in self.mix)
        self.entries += [(inner + j, 0, -w.share / total) for j, w in enumerate(self.mix)]
        b: Floats = np.zeros(inner + count)
        for t, stock in enumerate(self.stocks):
            base = t * self.size
            self.flows(base)
            for j, wanted in enumerate(self.mix):
                self.job(base, inner + j, wanted.on[t], wanted.count)
            b[base] = stock.nodes * stock.gpus / self.gpus
            b[base + LEVELS : base + LEVELS + self.pools] = stock.nodes / self.gpus
        return self.assembled(b, {0: -1.0})

    def assembled(self, b: Floats, gains: Mapping[int, float]) -> Programme:
        """The programme of all columns added, with the costs of some."""
        c = np.zeros(self.columns)
        c[list(gains)] = list(gains.values())
        row, column, value = (np.array(part) for part in zip(*sorted(self.entries, key=lambda e: e[1]), strict=True))
        return Programme(row, column, value.astype(np.float64), b, c, len(self.stocks), self.size)

    def add(self, *cells: tuple[int, float]) -> None:
        """One more column, by its (row, value) cells."""
        self.entries += [(row, self.columns, value) for row, value in cells]
        self.columns += 1

    def flows(self, base: int) -> None:
        """A device starts whole (row 0) and passes from level to level; what ends early is waste."""
        for number, size in enumerate(self.sizes):
            count = base + LEVELS + self.pools + number
            for used in range(LEVELS - size + 1):
                cells = [(base + used, 1.0), (count, 1.0)]
                if used + size < LEVELS:
                    cells.append((base + used + size, -1.0))
                self.add(*cells)
        for row in range(LEVELS + self.pools):
            self.add((base + row, 1.0))

    def job(self, base: int, demand: int, on: tuple[int, tuple[int, ...]] | None, count: int) -> None:
        """One shape on one class: its devices, its part of each pool, its demand."""
        if on is None:
            return
        level, pools = on
        stock = self.stocks[base // self.size]
        cells = [(demand, 1.0)]
        cells += [
            (base + LEVELS + p, amount / stock.pools[p]) for p, amount in enumerate(pools) if amount and stock.pools[p]
        ]
        if count == 1 and 0 < level < LEVELS:
            cells.append((base + LEVELS + self.pools + self.sizes.index(level), -1.0))
        elif level:
            cells.append((base, float(count)))
        self.add(*cells)
