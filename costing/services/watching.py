"""What did the agent see of whole devices in an hour? Stored windows turned into tracks.

Overlapping windows are resolved first: the higher (epoch, seq) wins, whatever the order of
arrival, and what is left of a window keeps its part of the usage.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from alldata.kernel.intervals import Interval
from costing.rating import Track, resolved
from monitoring.frames import QUALITIES, SOURCES, Part
from monitoring.selectors.frames import StoredWindow

Spot = tuple[str, str]  # device, dimension
#: Qualities that may be billed, by the price book's `bills_proxy`.
BILLED: Mapping[bool, frozenset[str]] = {
    # "estimated": counted over the process tree, where a normal user may make no control group.
    True: frozenset({"measured", "proxy", "estimated"}),
    False: frozenset({"measured"}),
}
#: A tag is source << 2 | quality.
QUALITY_OF_TAG: Sequence[str] = QUALITIES * len(SOURCES)


@dataclass(frozen=True, slots=True)
class Watched:
    """One capability of a whole device: its windows in order, and the quality of each."""

    track: Track
    qualities: tuple[str, ...]

    def billed(self, allowed: frozenset[str]) -> Track:
        """The windows of a quality that may be billed."""
        if allowed.issuperset(self.qualities):
            return self.track
        kept = [k for k, quality in enumerate(self.qualities) if quality in allowed]
        whole = self.track
        return Track([whole.starts[k] for k in kept], [whole.ends[k] for k in kept], [whole.q[k] for k in kept])

    def joined(self, other: "Watched") -> "Watched":
        """Both in order of time: the agent described its devices differently during the hour."""
        mine, theirs = (zip(w.track.starts, w.track.ends, w.track.q, w.qualities, strict=True) for w in (self, other))
        starts, ends, q, qualities = zip(*sorted([*mine, *theirs]), strict=True)
        return Watched(Track(list(starts), list(ends), list(q)), tuple(qualities))


@dataclass(slots=True)
class _Layout:
    """Windows that describe the same devices and capabilities in the same order."""

    parts: tuple[Part, ...]
    times: Track = field(default_factory=Track)
    rows: list[list[int]] = field(default_factory=list)
    tags: list[list[int]] = field(default_factory=list)

    def add(self, window: StoredWindow, span: Interval) -> None:
        count = len(self.spots())
        q = window.columns.q[:count].tolist()
        if span != window.span:
            whole = window.span
            first, last = span.start_ms - whole.start_ms, span.end_ms - whole.start_ms
            q = [value * last // whole.length_ms - value * first // whole.length_ms for value in q]
        self.times.starts.append(span.start_ms)
        self.times.ends.append(span.end_ms)
        self.rows.append(q)
        self.tags.append(window.columns.tags[:count].tolist())

    def spots(self) -> list[Spot]:
        return [(part.device, name) for part in self.parts if part.attempt is None for name in part.names]

    def watched(self) -> dict[Spot, Watched]:
        columns = zip(self.spots(), zip(*self.rows, strict=True), zip(*self.tags, strict=True), strict=True)
        return {
            spot: Watched(self.times.beside(list(q)), tuple(QUALITY_OF_TAG[tag] for tag in tags))
            for spot, q, tags in columns
        }


def watched(windows: Sequence[StoredWindow]) -> dict[Spot, Watched]:
    """Every capability that the windows tell of."""
    kept = resolved([((w.epoch, w.seq), w.span) for w in windows])
    layouts: dict[tuple[Part, ...], _Layout] = {}
    for span, k in sorted((span, k) for k, spans in enumerate(kept) for span in spans):
        parts = windows[k].columns.parts
        layouts.setdefault(parts, _Layout(parts)).add(windows[k], span)
    found: dict[Spot, Watched] = {}
    for layout in layouts.values():
        for spot, mine in layout.watched().items():
            found[spot] = found[spot].joined(mine) if spot in found else mine
    return found
