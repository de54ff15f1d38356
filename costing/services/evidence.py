"""Which usage of a node is known for an hour, and for which time?

Usage of an attempt is the difference since it was last reported. A report says when that was,
or spans from the end of the one before it (or from the attempt's claim) to the end of its own
frame; that frame may lie beyond the hour. Where a report says that nothing could be seen, or
nothing that may be billed, its time is not known: unmetered, not idle.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from uuid import UUID

from alldata.kernel.intervals import HOUR_MS, Interval
from costing.rating import Evidence, Holding, Piece, Sharers, Slice, Track, bridged, divided, gaps
from costing.selectors.capacity import Supplied
from costing.services.watching import BILLED, Spot, Watched, watched
from monitoring.frames import StoredFrame, span_of
from monitoring.selectors.frames import last_report, next_report, reported, windows_between
from monitoring.selectors.streams import LATENESS_MS
from profiles.dimensions import POWER
from scheduling.selectors.metering import allocations_between

SPLIT_TYPES = {"gpu", "link"}
#: Power has no capacity to be clamped to; no device draws a terawatt.
NO_LIMIT = 10**15


@dataclass(frozen=True, slots=True)
class Reading:
    """An integral over a span with its quality."""

    piece: Piece
    quality: str


@dataclass(frozen=True, slots=True)
class Held:
    """Who held a capability, or anything else of its device (`beside`), and which attempts have an owner."""

    holdings: list[Holding]
    beside: list[Holding]
    owned: Collection[str]

    def without(self, attempts: Collection[str]) -> "Held":
        """The others: between them usage is divided."""
        mine, beside = ([h for h in some if h.attempt not in attempts] for some in (self.holdings, self.beside))
        return Held(mine, beside, self.owned)


@dataclass(slots=True)
class HourUsage:
    """Everything measured on a node during a span."""

    span: Interval
    known: list[Interval] = field(default_factory=list)
    devices: Mapping[Spot, Watched] = field(default_factory=dict)
    attempts: dict[str, dict[Spot, list[Reading]]] = field(default_factory=dict)
    never_ran: frozenset[str] = frozenset()  # attempts that used nothing, for certain

    def evidence(self, supply: Supplied, part: Slice, held: Held, *, bills_proxy: bool) -> Evidence:
        """What rating needs of one slice. Usage of attempts that nobody owns is the system's."""
        spot, billed = (supply.device, supply.dimension), BILLED[bills_proxy]
        track = self.devices[spot].billed(billed) if spot in self.devices else Track()
        told = {key: spots[spot] for key, spots in self.attempts.items() if key in held.owned and spot in spots}
        seen = {key: mine for key, of in told.items() if (mine := [r.piece for r in of if r.quality in billed])}
        if supply.device_type in SPLIT_TYPES and track.q:
            used, covered = _divided(track, part, held.without(self.never_ran), seen)
        else:
            used = seen
            blind = {key: [r.piece.span for r in told[key] if r.quality not in billed] for key in seen}
            covered = {key: [*_without(self.known, blind[key]), *(p.span for p in seen[key])] for key in seen}
        covered |= dict.fromkeys(self.never_ran, self.known)
        down = [gap for gap in gaps(self.known, self.span) if gap.length_ms > LATENESS_MS]
        device = [Piece(part.span, track.within(part.span, part.capacity))] if track.q else []
        return Evidence(held.holdings, used, covered, device, down)

    def drawn(
        self, device: str, part: Interval, holders: list[Holding], *, bills_proxy: bool
    ) -> tuple[int, dict[str, int]]:
        """(energy, by attempt) of a device: what was measured of it, divided between those who held any of it."""
        spot = (device, POWER)
        if spot not in self.devices:
            return 0, {}
        track = self.devices[spot].billed(BILLED[bills_proxy])
        return track.within(part, NO_LIMIT), divided(track, Sharers(holders), part, NO_LIMIT)


Seen = dict[str, list[Piece]]


def _divided(track: Track, part: Slice, held: Held, seen: Seen) -> tuple[Seen, dict[str, list[Interval]]]:
    """(used, covered) of a device that one reading tells of, whoever shares it."""
    sharers = Sharers(held.holdings, held.beside, seen)
    shares = divided(track, sharers, part.span, part.capacity)
    used = {key: [Piece(part.span, q)] for key, q in shares.items()}
    known = track.known()
    holders = {holding.attempt for holding in held.holdings}
    return used, {key: [*known, *(piece.span for piece in seen.get(key, ()))] for key in holders}


def _without(known: Sequence[Interval], blind: Sequence[Interval]) -> list[Interval]:
    """The known time in which nothing was hidden."""
    return [left for span in known for left in gaps(blind, span)] if blind else list(known)


def usage_of_hour(node: str, span: Interval, claimants: Collection[str]) -> HourUsage:
    """Read the hour's frames, and the reports that reach into it from outside."""
    windows = windows_between(node, span.start_ms, span.end_ms)
    found = HourUsage(span, bridged(w.span for w in windows), watched(windows))
    reports: dict[str, list[StoredFrame]] = {key: [] for key in reported(node, claimants)}
    for window in sorted(windows, key=lambda w: (w.span.end_ms, w.epoch, w.seq)):
        keys = window.columns.attempts
        frame = window.frame() if keys else None
        for key in keys:
            reports.setdefault(key, []).append(frame or window.frame())
    for key in sorted(reports):
        _read_attempt(found, node, key, reports[key])
    return found


def _read_attempt(found: HourUsage, node: str, key: str, frames: list[StoredFrame]) -> None:
    """Give each report its span; the report after the hour may still speak of its end."""
    first_ms = frames[0].start_ms if frames else found.span.start_ms
    before = last_report(node, key, before_ms=first_ms)
    since_ms = before.end_ms if before else _claimed_ms(key, frames)
    if before is not None:
        _note(found, key, before, since_ms, zero=True)
    if found.span.end_ms % HOUR_MS == 0:
        beyond = next_report(node, key, after_ms=found.span.end_ms)
        frames = [*frames, beyond] if beyond else frames
    for frame in frames:
        _note(found, key, frame, since_ms)
        since_ms = frame.end_ms


def _claimed_ms(key: str, frames: list[StoredFrame]) -> int | None:
    """When the attempt first held anything: its first report cannot speak of earlier time."""
    attempt = attempt_id_of(key)
    if attempt is None or not frames:
        return None
    return min((c.start_ms for c in allocations_between(0, frames[-1].end_ms, attempt_ids=[attempt])), default=None)


def attempt_id_of(key: str) -> UUID | None:
    """The attempt that an agent's key names, if it can be one."""
    try:
        found = UUID(key)
    except ValueError:
        return None
    return found if str(found) == key else None


def _note(found: HourUsage, key: str, frame: StoredFrame, since_ms: int | None, *, zero: bool = False) -> None:
    """Add one report; `zero` only says that the capability is metered for this attempt."""
    spots = found.attempts.setdefault(key, {})
    for usage in frame.of(key):
        span = Interval(*span_of(usage, frame, since_ms))
        for name, value in usage.dims.items():
            reading = Reading(Piece(span, 0 if zero or value.q is None else value.q), value.quality)
            spots.setdefault((usage.device, name), []).append(reading)
