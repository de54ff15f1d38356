"""What does the demand mix make of a fleet: worth tables, shadow prices, scarcity?

A Mix is what jobs ask for and how often. Shadow prices come from the whole cluster when empty
and without rules on attributes; rules enter as scarcity: how much of the demand insists on a
kind of GPU, against how much of that kind there is. Everything here is worked out when the mix
or the machines change, never within a decision.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from scheduling.crater.fleet import GPU, LEVELS, Fleet, NodeClass, fleet
from scheduling.crater.kernels import Ints
from scheduling.crater.model import Demand, Need, Node, Request
from scheduling.crater.programs import level_asked, variants
from scheduling.crater.shadow import Stock, Wanted, prices
from scheduling.crater.vector import CPU, MEMORY, asked, ceil_div
from scheduling.crater.worth import CORE_PRICES, ROOM_PRICES, Item, blended, tables

#: What a GPU of a kind that all demand insists on costs beyond its worth (GPUs per GPU).
SCARCE = 0.4
MIB = 1 << 20

Pool = tuple[str, str]  # device type, dimension


@dataclass(frozen=True)
class Market:
    """Tables by class, scarcity by kind; rows follow the fleet's classes."""

    tables: Ints  # [class, level, mu]
    fulls: Ints  # [class, free GPUs, mu]
    kinds: tuple[object, ...]
    scarcity: tuple[float, ...]  # by kind, GPUs per GPU


def shadow_prices(nodes: Sequence[Node], mix: Sequence[Demand]) -> tuple[Demand, ...]:
    """The mix with a price in micro-GPU on each shape: the out-of-band work (seconds). What fits nowhere is worth 0."""
    supply = [c for c in fleet(nodes, {}).classes if c.gpus]
    pools = pools_in(mix)
    stocks = [Stock(len(c.names), len(c.gpus), pools_of(c, pools)) for c in supply]
    total = sum(d.weight for d in mix) or 1
    wanted = [Wanted(d.weight / total, gpus_of(d), tuple(asked_of(unruled(d), c, pools) for c in supply)) for d in mix]
    found = iter(prices(stocks, [w for w in wanted if any(w.on)]))
    return tuple(
        replace(d, micro=round(next(found) * 1e6) if any(w.on) else 0) for d, w in zip(mix, wanted, strict=True)
    )


def pools_in(mix: Sequence[Demand]) -> list[Pool]:
    """Everything but GPUs that the mix asks for by amount."""
    return sorted({(need.type, name) for d in mix for need in d.needs if need.type != GPU for name in need.amounts})


def market(grid: Fleet, mix: Sequence[Demand]) -> Market:
    """Tables and scarcity from a mix that carries its prices."""
    most = max((len(c.gpus) for c in grid.classes), default=0)
    total = sum(d.weight for d in mix) or 1
    made = [tables([i for d in mix if (i := _item(d, c, total))], most) for c in grid.classes]
    kinds, prices_of_pools = tuple(dict.fromkeys(c.kind for c in grid.classes)), len(CORE_PRICES + ROOM_PRICES)
    return Market(
        np.stack([w for w, _ in made]) if made else np.zeros((0, LEVELS + 1, prices_of_pools), dtype=np.int64),
        np.stack([f for _, f in made]) if made else np.zeros((0, 1, prices_of_pools), dtype=np.int64),
        kinds,
        _scarcity(grid, kinds, mix),
    )


def _item(demand: Demand, on: NodeClass, total: int) -> Item | None:
    fit = asked_of(unruled(demand), on, [("cpu", CPU), ("memory", MEMORY)])
    if fit is None or not fit[0]:
        return None
    level, count = fit[0], gpus_of(demand)
    price = level * count / LEVELS if demand.micro is None else demand.micro / 1e6
    millicores, mebibytes = fit[1][0], ceil_div(fit[1][1], MIB)
    return Item(level, count, millicores, demand.weight / total, blended(price, level, count), mebibytes)


def unruled(demand: Demand) -> Demand:
    """The same amounts without rules on attributes."""
    return replace(demand, needs=tuple(replace(need, constraints=()) for need in demand.needs))


def gpus_of(demand: Demand) -> int:
    """How many GPUs one job takes from."""
    return sum(need.count for need in demand.needs if need.type == GPU)


def asked_of(demand: Demand, on: NodeClass, pools: Sequence[Pool]) -> tuple[int, tuple[int, ...]] | None:
    """(level of each GPU, amounts from each pool) on an empty node of the class; None when it cannot fit."""
    if next(variants(_request(demand.needs), on), None) is None:
        return None
    gpus = [need for need in demand.needs if need.type == GPU]
    level = max((level_asked(need, on.sample.devices[on.gpus[0]]) for need in gpus), default=0)
    return level, tuple(_amount(demand.needs, pool, on) for pool in pools)


def _amount(needs: Sequence[Need], pool: Pool, on: NodeClass) -> int:
    devices = [d for d in on.sample.devices if d.type == pool[0]]
    return sum(asked(n, devices[0]).get(pool[1], 0) * n.count for n in needs if n.type == pool[0] and devices)


def pools_of(on: NodeClass, pools: Sequence[Pool]) -> tuple[int, ...]:
    """What an empty node of the class has in each pool."""
    devices = on.sample.devices
    return tuple(sum(d.capacity.get(name, 0) for d in devices if d.type == kind) for kind, name in pools)


def _request(needs: tuple[Need, ...]) -> Request:
    return Request("", needs, 0, same="node")


def _scarcity(grid: Fleet, kinds: Sequence[object], mix: Sequence[Demand]) -> tuple[float, ...]:
    """Demand that insists on a kind over the kind's part of all GPUs, times SCARCE."""
    owned: dict[object, int] = dict.fromkeys(kinds, 0)
    for c in grid.classes:
        owned[c.kind] += len(c.gpus) * len(c.names)
    everything = sum(owned.values()) or 1
    insisting: dict[object, float] = dict.fromkeys(kinds, 0.0)
    asked_all = 0.0
    for demand in mix:
        amount = demand.weight * _size(demand, grid)
        asked_all += amount
        accepted = {c.kind for c in grid.classes if _accepts(demand, c)}
        held = sum(owned[kind] for kind in accepted)
        if held and any(need.constraints for need in demand.needs if need.type == GPU):
            for kind in accepted:
                insisting[kind] += amount * owned[kind] / held
    return tuple(
        SCARCE * insisting[kind] / asked_all / (owned[kind] / everything) if owned[kind] and asked_all else 0.0
        for kind in kinds
    )


def _accepts(demand: Demand, on: NodeClass) -> bool:
    gpus = tuple(replace(need, count=1) for need in demand.needs if need.type == GPU)
    return bool(gpus and on.gpus) and next(variants(_request(gpus), on), None) is not None


def _size(demand: Demand, grid: Fleet) -> float:
    """GPUs that one such job takes, at the first class that has any."""
    sample = next((c.sample.devices[c.gpus[0]] for c in grid.classes if c.gpus), None)
    gpus = [need for need in demand.needs if need.type == GPU]
    return sum(level_asked(need, sample) * need.count / LEVELS for need in gpus) if sample else 0.0
