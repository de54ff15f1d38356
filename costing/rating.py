"""How is the price of one capacity-slice divided? Seven buckets that sum to it exactly. Pure.

A slice is one additive capability of one device over one span with one rate. Quantities are
integers (base unit x ms), money is integer nano-currency, and nothing is ever the unclamped
difference of two measurements: used and system come from usage, unmetered and allocated_idle
from what was held, unavailable from outages, and unallocated_idle is the rest.

Next: services/metering.py collects the inputs, services/ledger.py writes the lines down.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from alldata.kernel.intervals import HOUR_MS, Interval
from alldata.kernel.money import hamilton


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
class Piece:
    """An integral over a span, spread evenly over it."""

    span: Interval
    q: int


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


def clipped(piece: Piece, span: Interval) -> int:
    """The part of a piece inside the span; cuts of a piece sum to the whole piece."""
    length = piece.span.length_ms
    first = min(max(span.start_ms - piece.span.start_ms, 0), length)
    last = min(max(span.end_ms - piece.span.start_ms, 0), length)
    return piece.q * last // length - piece.q * first // length


def rate_slice(part: Slice, evidence: Evidence) -> list[Line]:
    """All buckets of one slice: quantities sum to its capacity, money to its price, none negative."""
    room = part.quantity - part.stranded * part.span.length_ms
    used = _used(part, evidence, room)
    unmetered, idle = _held(part, evidence, used)
    system = min(_system(part, evidence, sum(used.values())), room - sum(used.values()))
    rest = room - sum(used.values()) - system - sum(unmetered.values()) - sum(idle.values())
    rest, idle = _give_way(rest, idle)
    rest, unmetered = _give_way(rest, unmetered)
    unavailable = min(rest, part.capacity * _covered_ms(evidence.down, part.span))
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
        used[attempt] = sum(clipped(_clamped(piece, part.capacity), part.span) for piece in pieces)
    keys = sorted(used)
    if sum(used.values()) > room:
        return dict(zip(keys, hamilton(room, [used[key] for key in keys]), strict=True))
    return used


def _clamped(piece: Piece, capacity: int) -> Piece:
    return Piece(piece.span, min(piece.q, capacity * piece.span.length_ms))


def _held(part: Slice, evidence: Evidence, used: Mapping[str, int]) -> tuple[dict[str, int], dict[str, int]]:
    """(unmetered, allocated idle) by attempt, with bursts above a share taken out of others' idle."""
    held: dict[str, int] = {}
    unmetered: dict[str, int] = {}
    for holding in evidence.holdings:
        span = overlap(holding.span, part.span)
        if span is None:
            continue
        gap_ms = span.length_ms - _covered_ms(evidence.covered.get(holding.attempt, ()), span)
        held[holding.attempt] = held.get(holding.attempt, 0) + holding.amount * span.length_ms
        unmetered[holding.attempt] = unmetered.get(holding.attempt, 0) + holding.amount * gap_ms
    idle = {key: max(0, held[key] - used.get(key, 0) - unmetered[key]) for key in held}
    burst = sum(max(0, q - held.get(key, 0)) for key, q in used.items())
    _, idle = _give_way(-burst, idle)
    return unmetered, idle


def _give_way(rest: int, idle: Mapping[str, int]) -> tuple[int, dict[str, int]]:
    """Cover a negative rest from the idle amounts, in proportion; returns what is left of both."""
    keys = sorted(idle)
    taken = min(max(0, -rest), sum(idle.values()))
    cuts = hamilton(taken, [idle[key] for key in keys])
    return rest + taken, {key: idle[key] - cut for key, cut in zip(keys, cuts, strict=True)}


def _system(part: Slice, evidence: Evidence, used: int) -> int:
    """What the device did for no attempt."""
    return max(0, sum(clipped(_clamped(piece, part.capacity), part.span) for piece in evidence.device) - used)


def overlap(a: Interval, b: Interval) -> Interval | None:
    """What two spans share, if anything."""
    start, end = max(a.start_ms, b.start_ms), min(a.end_ms, b.end_ms)
    return Interval(start, end) if start < end else None


def merged(spans: Iterable[Interval]) -> list[Interval]:
    """The same time as disjoint spans in order."""
    found: list[Interval] = []
    for span in sorted(spans):
        if found and span.start_ms <= found[-1].end_ms:
            found[-1] = Interval(found[-1].start_ms, max(found[-1].end_ms, span.end_ms))
        else:
            found.append(span)
    return found


def _covered_ms(spans: Iterable[Interval], within: Interval) -> int:
    return sum(span.overlap_ms(within) for span in merged(spans))


def split_among(pieces: Sequence[Piece], holdings: Sequence[Holding]) -> dict[str, list[Piece]]:
    """A device's own usage divided between those who held it, never copied.

    Each piece goes to the holders in proportion to amount x time held; time that nobody held
    leaves its part of the piece with the system.
    """
    found: dict[str, list[Piece]] = {}
    ordered = sorted(holdings, key=lambda h: (h.attempt, h.span))
    for piece in pieces:
        shares = [(h.attempt, span, h.amount) for h in ordered if (span := overlap(h.span, piece.span)) is not None]
        if not shares:
            continue
        held_ms = _covered_ms((span for _, span, _ in shares), piece.span)
        whole = piece.q * held_ms // piece.span.length_ms
        parts = hamilton(whole, [amount * span.length_ms for _, span, amount in shares])
        for (attempt, span, _), q in zip(shares, parts, strict=True):
            found.setdefault(attempt, []).append(Piece(span, q))
    return found


def resolved(windows: Sequence[tuple[tuple[str, int], Interval]]) -> list[list[Interval]]:
    """What each window keeps when windows overlap: the higher (epoch, seq) wins, whatever the order."""
    kept: list[list[Interval]] = [[] for _ in windows]
    taken: list[Interval] = []
    for index in sorted(range(len(windows)), key=lambda i: windows[i], reverse=True):
        span = windows[index][1]
        kept[index] = gaps([t for t in taken if t.overlap_ms(span)], span) if taken else [span]
        taken = _with(taken, span)
    return kept


def _with(taken: list[Interval], span: Interval) -> list[Interval]:
    """Windows arrive newest first, so growing the earliest span downwards is the common case."""
    if taken and span.end_ms == taken[0].start_ms:
        return [Interval(span.start_ms, taken[0].end_ms), *taken[1:]]
    return merged([*taken, span])


def gaps(spans: Iterable[Interval], within: Interval) -> list[Interval]:
    """The parts of `within` that no span covers."""
    found, at = [], within.start_ms
    for span in merged(spans):
        if at < min(span.start_ms, within.end_ms):
            found.append(Interval(at, min(span.start_ms, within.end_ms)))
        at = max(at, span.end_ms)
    if at < within.end_ms:
        found.append(Interval(at, within.end_ms))
    return found


def bridged(windows: Iterable[Interval]) -> list[Interval]:
    """Known time: gaps of at most two window lengths hold the last value, longer ones are gaps."""
    found: list[Interval] = []
    last_ms = 0
    for window in sorted(windows):
        if found and window.start_ms - found[-1].end_ms <= 2 * last_ms:
            found[-1] = Interval(found[-1].start_ms, max(found[-1].end_ms, window.end_ms))
        else:
            found.append(window)
        last_ms = window.length_ms
    return found
