"""What did the devices do that an attempt held, where nobody reported the attempt itself?

A GPU is watched as a whole: its windows stand for the attempt while it holds the device alone, and
are marked as the device's (quality proxy) while others hold it too. What was held and never seen
is named as missing: a gap must be called a gap.
"""

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from uuid import UUID

from monitoring.frames import QUALITIES, SOURCES
from monitoring.selectors.frames import windows_between
from scheduling.selectors.answers import AllocationSpan, AttemptView
from scheduling.selectors.metering import allocations_between

WATCHED_TYPES = ("gpu", "link")
Spot = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Seen:
    """One window of one capability of a held device."""

    spot: Spot
    start_ms: int
    end_ms: int
    q: int
    quality: str
    source: str


def held_spots(attempt_id: UUID) -> dict[Spot, AllocationSpan]:
    """What the attempt held or holds, by device and capability."""
    claims = allocations_between(0, 2**62, attempt_ids=[attempt_id])
    return {(claim.device, claim.dimension): claim for claim in claims}


def seen_of(attempt: AttemptView, claims: Collection[AllocationSpan], start_ms: int, end_ms: int) -> Iterator[Seen]:
    """The windows of these claims' devices within [start_ms, end_ms), by time."""
    mine = {(c.device, c.dimension): c for c in claims if c.device_type in WATCHED_TYPES}
    if not mine or start_ms >= end_ms:
        return
    others = [c for c in allocations_between(start_ms, end_ms, node=attempt.node) if c.attempt_id != attempt.id]
    for window in windows_between(attempt.node, start_ms, end_ms):
        at = 0
        for part in window.columns.parts:
            for name in part.names:
                claim = mine.get((part.device, name)) if part.attempt is None else None
                tag = int(window.columns.tags[at])
                quality = QUALITIES[tag & 3]
                if claim is not None and quality != "missing" and _overlaps(claim, window.span.start_ms):
                    shared = any(_shares(other, claim, window.span.start_ms, window.span.end_ms) for other in others)
                    seen = "proxy" if shared and quality == "measured" else quality
                    q, source = int(window.columns.q[at]), SOURCES[tag >> 2]
                    yield Seen((part.device, name), window.span.start_ms, window.span.end_ms, q, seen, source)
                at += 1


def _overlaps(claim: AllocationSpan, at_ms: int) -> bool:
    return claim.start_ms <= at_ms and (claim.end_ms is None or claim.end_ms > at_ms)


def _shares(other: AllocationSpan, mine: AllocationSpan, start_ms: int, end_ms: int) -> bool:
    same = (other.device, other.dimension) == (mine.device, mine.dimension)
    return same and other.start_ms < end_ms and (other.end_ms is None or other.end_ms > start_ms)
