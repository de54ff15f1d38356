"""Which usage of a node is known for an hour, and for which time?

Usage of an attempt is the difference since it was last reported. A report says when that was,
or spans from the end of the one before it (or from the attempt's claim) to the end of its own
frame; that frame may lie beyond the hour.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from uuid import UUID

from alldata.agent.wire import Usage
from alldata.kernel.intervals import HOUR_MS, Interval
from costing.rating import Evidence, Holding, Piece, bridged, gaps, resolved, split_among
from monitoring.frames import StoredFrame, span_of
from monitoring.selectors.streams import LATENESS_MS
from monitoring.selectors.usage import frames_between, last_report, next_report
from scheduling.selectors.answers import Supply
from scheduling.selectors.metering import allocations_between

Spot = tuple[str, str]  # device, dimension
SPLIT_TYPES = {"gpu", "link"}
QUALITIES: Mapping[bool, frozenset[str]] = {
    # "estimated": counted over the process tree, where a normal user may make no control group.
    True: frozenset({"measured", "proxy", "estimated"}),
    False: frozenset({"measured"}),
}


@dataclass(frozen=True, slots=True)
class Reading:
    """An integral over a span with its quality."""

    piece: Piece
    quality: str


@dataclass(slots=True)
class HourUsage:
    """Everything measured on a node during a span."""

    span: Interval
    known: list[Interval] = field(default_factory=list)
    devices: dict[Spot, list[Reading]] = field(default_factory=dict)
    attempts: dict[str, dict[Spot, list[Reading]]] = field(default_factory=dict)

    def evidence(
        self, supply: Supply, holdings: list[Holding], owned: Collection[str], *, bills_proxy: bool
    ) -> Evidence:
        """What rating needs of one capability. Usage of attempts that nobody owns is the system's."""
        spot, billed = (supply.device, supply.dimension), QUALITIES[bills_proxy]
        device = [r.piece for r in self.devices.get(spot, ()) if r.quality in billed]
        used = {
            key: [r.piece for r in spots[spot] if r.quality in billed]
            for key, spots in self.attempts.items()
            if key in owned and spot in spots
        }
        used = {key: pieces for key, pieces in used.items() if pieces}
        if not used and supply.device_type in SPLIT_TYPES and device:
            used = split_among(device, holdings)
            covered = {holding.attempt: [piece.span for piece in device] for holding in holdings}
        else:
            covered = {key: [*self.known, *(piece.span for piece in pieces)] for key, pieces in used.items()}
        down = [gap for gap in gaps(self.known, self.span) if gap.length_ms > LATENESS_MS]
        return Evidence(holdings, used, covered, device, down)


def usage_of_hour(node: str, span: Interval, claimants: Collection[str]) -> HourUsage:
    """Read the hour's frames, and the reports that reach into it from outside."""
    frames = frames_between(node, span.start_ms, span.end_ms)
    found = HourUsage(span, known=bridged(Interval(f.start_ms, f.end_ms) for f in frames))
    _read_devices(found, frames)
    reports: dict[str, list[StoredFrame]] = {key: [] for key in claimants}
    for frame in sorted(frames, key=lambda f: (f.end_ms, f.epoch, f.seq)):
        for key in {usage.key for usage in frame.attempts}:
            reports.setdefault(key, []).append(frame)
    for key in sorted(reports):
        _read_attempt(found, node, key, reports[key])
    return found


def _read_devices(found: HourUsage, frames: list[StoredFrame]) -> None:
    kept = resolved([((f.epoch, f.seq), Interval(f.start_ms, f.end_ms)) for f in frames])
    for frame, spans in zip(frames, kept, strict=True):
        whole = Interval(frame.start_ms, frame.end_ms)
        for device in frame.devices:
            for name, usage in device.dims.items():
                readings = [_part(usage, whole, span) for span in spans if usage.q is not None]
                found.devices.setdefault((device.uuid, name), []).extend(readings)


def _part(usage: Usage, whole: Interval, span: Interval) -> Reading:
    """The part of a window's usage that falls into what is left of the window."""
    q, before = usage.q or 0, span.start_ms - whole.start_ms
    first = q * before // whole.length_ms
    last = q * (before + span.length_ms) // whole.length_ms
    return Reading(Piece(span, last - first), usage.quality)


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
            if value.q is not None:
                reading = Reading(Piece(span, 0 if zero else value.q), value.quality)
                spots.setdefault((usage.device, name), []).append(reading)
