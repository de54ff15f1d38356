"""What did the agent see of whole devices in an hour? Stored windows turned into tracks.

Overlapping windows are resolved first: the higher (epoch, seq) wins, whatever the order of
arrival, and what is left of a window keeps its part of the usage. The later start of an agent is
the higher epoch. A window of which a good part was not watched (coverage) is known only that far.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

import numpy as np

from alldata.kernel.intervals import Interval
from costing.rating import Track, resolved
from monitoring.frames import ABSENT, QUALITIES, SOURCES, Numbers, Part
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
#: A window watched for less than this part (in tenths) has a gap; what is missing of others is between two looks.
WHOLE_TENTHS = 9


Row = tuple[int, int, int, int, str]  # start, end, q, watched for, quality


@dataclass(frozen=True, slots=True)
class Watched:
    """One capability of a whole device: its windows in order, and the quality of each."""

    track: Track
    qualities: tuple[str, ...]

    def billed(self, allowed: frozenset[str]) -> Track:
        """The windows of a quality that may be billed."""
        if allowed.issuperset(self.qualities):
            return self.track
        return _of_rows([row for row in self._rows() if row[-1] in allowed]).track

    def joined(self, other: "Watched") -> "Watched":
        """Both in order of time: the agent described its devices differently during the hour."""
        return _of_rows(sorted([*self._rows(), *other._rows()]))

    def _rows(self) -> list[Row]:
        track = self.track
        seen_ms = track.seen_ms or [end - start for start, end in zip(track.starts, track.ends, strict=True)]
        return list(zip(track.starts, track.ends, track.q, seen_ms, self.qualities, strict=True))


def _of_rows(rows: Sequence[Row]) -> Watched:
    starts, ends, q, seen_ms, qualities = zip(*rows, strict=True) if rows else [()] * 5
    return Watched(Track(list(starts), list(ends), list(q), list(seen_ms)), tuple(qualities))


@dataclass(slots=True)
class _Layout:
    """Windows that describe the same devices and capabilities in the same order."""

    parts: tuple[Part, ...]
    times: Track = field(default_factory=Track)
    rows: list[list[int]] = field(default_factory=list)
    tags: list[list[int]] = field(default_factory=list)
    seen: list[Numbers] = field(default_factory=list)

    def add(self, window: StoredWindow, span: Interval) -> None:
        count = len(self.spots())
        q, seen = window.columns.q[:count].tolist(), window.columns.coverage_ms[:count]
        if span != window.span:
            whole = window.span
            first, last = span.start_ms - whole.start_ms, span.end_ms - whole.start_ms
            q = [value * last // whole.length_ms - value * first // whole.length_ms for value in q]
            part = seen * last // whole.length_ms - seen * first // whole.length_ms
            seen = np.where(seen == ABSENT, ABSENT, part)
        self.times.starts.append(span.start_ms)
        self.times.ends.append(span.end_ms)
        self.rows.append(q)
        self.tags.append(window.columns.tags[:count].tolist())
        self.seen.append(seen)

    def spots(self) -> list[Spot]:
        return [(part.device, name) for part in self.parts if part.attempt is None for name in part.names]

    def watched(self) -> dict[Spot, Watched]:
        columns = zip(self.spots(), zip(*self.rows, strict=True), zip(*self.tags, strict=True), strict=True)
        seen_ms = self._seen_ms()
        return {
            spot: Watched(self.times.beside(list(q), seen_ms.get(k)), tuple(QUALITY_OF_TAG[tag] for tag in tags))
            for k, (spot, q, tags) in enumerate(columns)
        }

    def _seen_ms(self) -> dict[int, list[int]]:
        """Columns with windows of which a good part was not watched: for how much each was."""
        seen = np.stack(self.seen)
        length = (np.array(self.times.ends) - np.array(self.times.starts))[:, None]
        short = (seen != ABSENT) & (10 * seen < WHOLE_TENTHS * length)
        told = np.where(short, seen, length)
        return {int(k): told[:, k].tolist() for k in np.flatnonzero(short.any(axis=0))}


def watched(windows: Sequence[StoredWindow]) -> dict[Spot, Watched]:
    """Every capability that the windows tell of."""
    kept = resolved([((_rank(w.epoch), w.seq), w.span) for w in windows])
    layouts: dict[tuple[Part, ...], _Layout] = {}
    for span, k in sorted((span, k) for k, spans in enumerate(kept) for span in spans):
        parts = windows[k].columns.parts
        layouts.setdefault(parts, _Layout(parts)).add(windows[k], span)
    found: dict[Spot, Watched] = {}
    for layout in layouts.values():
        for spot, mine in layout.watched().items():
            found[spot] = found[spot].joined(mine) if spot in found else mine
    return found


@lru_cache(maxsize=1024)
def _rank(epoch: str) -> str:
    """An epoch is "boot id:start count", and the count grows over boots: 10 is later than 9, whatever the boot."""
    count = epoch.rpartition(":")[2]
    return f"{int(count):020d} {epoch}" if count.isdecimal() else epoch
