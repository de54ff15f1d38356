"""How is the price of one capacity-slice divided? Seven buckets that sum to it exactly. Pure.

A slice is one additive capability of one device over one span with one rate. Quantities are
integers (base unit x ms), money is integer nano-currency, and nothing is ever the unclamped
difference of two measurements: used and system come from usage, unmetered and allocated_idle
from what was held, unavailable from outages, and unallocated_idle is the rest.

Spans are in spans.py, the usage of whole devices in tracks.py.
Next: services/metering.py collects the inputs, services/ledger.py writes the lines down.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from alldata.kernel.intervals import HOUR_MS, Interval
from alldata.kernel.money import hamilton
from costing.rating.spans import Piece, clamped, clipped, covered_ms, overlap


class Bucket(StrEnum):
    """Where capacity went; the order breaks ties between equal remainders."""

    USED = "used"
    ALLOCATED_IDLE = "allocated_idle"
    UNMETERED = "unmetered"
    SYSTEM = "system"
    STRANDED = "stranded"
    UNAVAILABLE = "unavailable"
    UNALLOCATED_IDLE = "unallocated_idle"


@dataclass(frozen=True, slots=True)
class Holding:
    """What one attempt held: an amount of the capability over a span."""

    attempt: str
    amount: int
    span: Interval


@dataclass(frozen=True, slots=True)
class Slice:
    """What is rated. `stranded` is an amount of the capacity that no one can be given."""

    span: Interval
    capacity: int
    nano_per_hour: int
    stranded: int = 0

    @property
    def quantity(self) -> int:
        return self.capacity * self.span.length_ms


@dataclass(frozen=True, slots=True)
class Evidence:
    """What was held and measured of one device and capability, in any order.

    `used`: attempt -> its usage. `covered`: attempt -> when its usage is known (zero included).
    `device`: usage of the whole device, from which others' usage is told (system). `down`:
    when the device could not be used.
    """

    holdings: Sequence[Holding] = ()
    used: Mapping[str, Sequence[Piece]] = field(default_factory=dict)
    covered: Mapping[str, Sequence[Interval]] = field(default_factory=dict)
    device: Sequence[Piece] = ()
    down: Sequence[Interval] = ()


@dataclass(frozen=True, slots=True)
class Line:
    """One share of a slice: whose, how much, for how much."""

    bucket: Bucket
    attempt: str | None
    q: int
    nano: int


def price_nano(nano_per_hour: int, span: Interval) -> int:
    """The price of a whole capability over a span. Telescopes: parts of a span sum to the span."""
    return _running(nano_per_hour, span.end_ms) - _running(nano_per_hour, span.start_ms)


def _running(rate: int, at_ms: int) -> int:
    return (rate * at_ms + HOUR_MS // 2) // HOUR_MS


def rate_slice(part: Slice, evidence: Evidence) -> list[Line]:
    """All buckets of one slice: quantities sum to its capacity, money to its price, none negative."""
    room = part.quantity - part.stranded * part.span.length_ms
    used = _used(part, evidence, room)
    unmetered, idle = _held(part, evidence, used)
    system = min(_system(part, evidence, sum(used.values())), room - sum(used.values()))
    rest = room - sum(used.values()) - system - sum(unmetered.values()) - sum(idle.values())
    rest, idle = _give_way(rest, idle)
    rest, unmetered = _give_way(rest, unmetered)
    unavailable = min(rest, part.capacity * covered_ms(evidence.down, part.span))
    shares: list[tuple[Bucket, str | None, int]] = [
        *((Bucket.USED, key, q) for key, q in sorted(used.items())),
        *((Bucket.ALLOCATED_IDLE, key, q) for key, q in sorted(idle.items())),
        *((Bucket.UNMETERED, key, q) for key, q in sorted(unmetered.items())),
        (Bucket.SYSTEM, None, system),
        (Bucket.STRANDED, None, part.quantity - room),
        (Bucket.UNAVAILABLE, None, unavailable),
        (Bucket.UNALLOCATED_IDLE, None, rest - unavailable),
    ]
    nanos = hamilton(price_nano(part.nano_per_hour, part.span), [q for _, _, q in shares])
    return [Line(b, key, q, nano) for (b, key, q), nano in zip(shares, nanos, strict=True) if q or nano]


def _used(part: Slice, evidence: Evidence, room: int) -> dict[str, int]:
    """Usage by attempt, each piece clamped to the capacity, all together to the room."""
    used = {}
    for attempt, pieces in evidence.used.items():
        used[attempt] = sum(clipped(clamped(piece, part.capacity), part.span) for piece in pieces)
    keys = sorted(used)
    if sum(used.values()) > room:
        return dict(zip(keys, hamilton(room, [used[key] for key in keys]), strict=True))
    return used


def _held(part: Slice, evidence: Evidence, used: Mapping[str, int]) -> tuple[dict[str, int], dict[str, int]]:
    """(unmetered, allocated idle) by attempt, with bursts above a share taken out of others' idle."""
    held: dict[str, int] = {}
    unmetered: dict[str, int] = {}
    for holding in evidence.holdings:
        span = overlap(holding.span, part.span)
        if span is None:
            continue
        gap_ms = span.length_ms - covered_ms(evidence.covered.get(holding.attempt, ()), span)
        held[holding.attempt] = held.get(holding.attempt, 0) + holding.amount * span.length_ms
        unmetered[holding.attempt] = unmetered.get(holding.attempt, 0) + holding.amount * gap_ms
    idle = {key: max(0, held[key] - used.get(key, 0) - unmetered[key]) for key in held}
    burst = sum(max(0, q - held.get(key, 0)) for key, q in used.items())
    _, idle = _give_way(-burst, idle)
    return unmetered, idle


def _give_way(rest: int, idle: Mapping[str, int]) -> tuple[int, dict[str, int]]:
    """Cover a negative rest from the idle amounts, in proportion; returns what is left of both."""
    if rest >= 0 or not idle:
        return rest, dict(idle)
    keys = sorted(idle)
    taken = min(max(0, -rest), sum(idle.values()))
    cuts = hamilton(taken, [idle[key] for key in keys])
    return rest + taken, {key: idle[key] - cut for key, cut in zip(keys, cuts, strict=True)}


def _system(part: Slice, evidence: Evidence, used: int) -> int:
    """What the device did for no attempt."""
    return max(0, sum(clipped(clamped(piece, part.capacity), part.span) for piece in evidence.device) - used)
