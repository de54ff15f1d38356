"""What do the devices of one card cost an hour: the card itself, or the parts that it is split into? Pure.

A card that is split is worth what it was worth whole. Each part costs its share of the card; what the
parts leave over can be given to nobody: it is stranded. A part that the list prices by its own model
costs that, and the card is then only what is left of it.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from alldata.kernel.money import hamilton
from costing.pricing.lines import PriceLine, capability_rates, line_for
from profiles.dimensions import BY_NAME, PPM

PPB = 1_000_000_000


class Given(Protocol):
    """One capability of one device; `part_of` "" or the card that it is a part of, `share_ppb` then its share."""

    @property
    def device(self) -> str: ...
    @property
    def device_type(self) -> str: ...
    @property
    def model(self) -> str: ...
    @property
    def dimension(self) -> str: ...
    @property
    def capacity(self) -> int: ...
    @property
    def part_of(self) -> str: ...
    @property
    def share_ppb(self) -> int: ...


@dataclass(frozen=True, slots=True)
class Stranded:
    """What the parts of a card leave over of one capability, in the card's own units."""

    card: str
    dimension: str
    capacity: int
    nano_per_hour: int


@dataclass(frozen=True, slots=True)
class Rated:
    """Nano per hour by (device, capability), and what is stranded. All of a card sum to its rate."""

    nano_per_hour: Mapping[tuple[str, str], int]
    stranded: Sequence[Stranded] = ()


def card_of(given: Given) -> str:
    """The card that a device is, or is a part of."""
    return given.part_of or given.device


def card_rates(lines: Iterable[PriceLine], given: Sequence[Given]) -> Rated:
    """The rates of one card and its parts, or of one device that is not split."""
    known = list(lines)
    if not any(one.part_of for one in given):
        return Rated(_whole(known, given))
    parts = [one for one in given if one.part_of and not _has_own_line(known, one)]
    rates: dict[tuple[str, str], int] = {}
    for device in sorted({one.device for one in given if one not in parts}):
        rates |= _whole(known, [one for one in given if one.device == device])
    return _split(known, given, parts, rates) if parts else Rated(rates)


def rates_of(lines: Iterable[PriceLine], given: Iterable[Given]) -> dict[tuple[str, str], int]:
    """The rates of many devices by (device, capability); what has no price is absent, not free."""
    known, cards = list(lines), dict[str, list[Given]]()
    for one in given:
        cards.setdefault(card_of(one), []).append(one)
    return {key: nano for card in sorted(cards) for key, nano in card_rates(known, cards[card]).nano_per_hour.items()}


def _has_own_line(lines: Sequence[PriceLine], part: Given) -> bool:
    return any((line.device_type, line.model) == (part.device_type, part.model) for line in lines)


def _whole(lines: Sequence[PriceLine], mine: Sequence[Given]) -> dict[tuple[str, str], int]:
    line = line_for(lines, mine[0].device_type, mine[0].model)
    rates = capability_rates(line, {one.dimension: one.capacity for one in mine}) if line else {}
    return {(mine[0].device, dimension): nano for dimension, nano in rates.items()}


def _split(
    lines: Sequence[PriceLine], given: Sequence[Given], parts: Sequence[Given], rates: dict[tuple[str, str], int]
) -> Rated:
    """The card's rate over what it still gives as a whole and what its parts give."""
    card = parts[0].part_of
    own = {one.dimension: one.capacity for one in given if one.device == card}
    capacities = {**{name: _of_whole(name, parts) for name in sorted({p.dimension for p in parts})}, **own}
    model = next((one.model for one in given if one.device == card), parts[0].model.partition(" MIG ")[0])
    line = line_for(lines, parts[0].device_type, model)
    whole = capability_rates(line, capacities) if line else {}
    found = {key: nano for key, nano in rates.items() if key[0] != card}
    stranded = []
    for dimension, nano in whole.items():
        mine = [part for part in parts if part.dimension == dimension]
        if not mine:
            found[card, dimension] = nano
            continue
        rest_ppb = max(0, PPB - sum(part.share_ppb for part in mine))
        left = capacities[dimension] * rest_ppb // PPB
        *shares, rest = hamilton(nano, [*(part.share_ppb for part in mine), rest_ppb if left else 0])
        found.update({(part.device, dimension): share for part, share in zip(mine, shares, strict=True)})
        if left:
            stranded.append(Stranded(card, dimension, left, rest))
    return Rated(found, tuple(stranded))


def _of_whole(dimension: str, parts: Sequence[Given]) -> int:
    """The card's own capacity, as its parts tell: theirs by their shares."""
    if BY_NAME[dimension].unit == "ppm":
        return PPM
    return max(p.capacity * PPB // p.share_ppb for p in parts if p.dimension == dimension and p.share_ppb)
