"""How full is every capability of every device now, as one grid of bytes?

A process keeps the grid between looks: the layout until the supply changes, and of the agents only those are read that
sent a newer window. So a look at ten thousand cells costs two small queries. Same windows and same rule as live.py.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from threading import Lock

import numpy as np
from numpy.typing import NDArray

from alldata.tenancy.viewer import Viewer
from monitoring.frames import QUALITIES, Columns, unpack_columns
from monitoring.heatmap import ABSENT, MISSING
from monitoring.models import AgentStream
from profiles.dimensions import ADDITIVE
from scheduling.selectors.inventory import nodes, supply_stamp

MEASURED, PROXY, UNTOLD = (QUALITIES.index(name) for name in ("measured", "proxy", "missing"))
WORKING, HOT = 5.0, 95.0
Newest = tuple[str, int, int, int]  # epoch, end, start, key of the stream


@dataclass(frozen=True, slots=True)
class LiveMap:
    """Rows are capabilities, columns devices by node. `cells` are monitoring.heatmap's bytes, row by row."""

    stamp: str  # of the layout: rows and columns
    rows: tuple[str, ...]
    columns: tuple[tuple[str, str], ...]  # node, device
    cells: bytes
    proxy: bytes
    shown: int  # cells that can exist
    measured: int
    missing: int
    at_limit: int
    working: int  # devices
    oldest_ms: int | None


class _Board:
    """The grid of one layout, filled window by window."""

    def __init__(self, viewer: Viewer, stamp: str) -> None:
        self.stamp = stamp
        known = [(node.name, device) for node in nodes(viewer) for device in node.devices if device.dimensions]
        known.sort(key=lambda pair: (pair[0], pair[1].uuid))
        told = {dimension.name for _, device in known for dimension in device.dimensions}
        self.rows = tuple(name for name in ADDITIVE if name in told)
        self.columns = tuple((node, device.uuid) for node, device in known)
        row_of, size = {name: at for at, name in enumerate(self.rows)}, len(self.rows) * len(known)
        self.capacity, self.exists = np.full(size, np.nan), np.zeros(size, bool)
        self.spots: dict[str, dict[tuple[str, str], int]] = {}
        for column, (node, device) in enumerate(known):
            for dimension in device.dimensions:
                spot = row_of[dimension.name] * len(known) + column
                self.exists[spot], self.capacity[spot] = True, dimension.capacity or np.nan
                self.spots.setdefault(node, {})[device.uuid, dimension.name] = spot
        self.percent, self.has_value = np.full(size, np.nan), np.zeros(size, bool)
        self.quality = np.full(size, UNTOLD, np.uint8)
        self.frames: dict[str, Newest] = {}

    def look(self) -> None:
        """Read what is newer."""
        newest = AgentStream.objects.order_by("agent", "-newest_ms").distinct("agent")
        told = newest.values_list("agent", "epoch", "newest_ms", "live_start_ms", "pk")
        mine: dict[str, Newest] = {agent: (e, end, start, key) for agent, e, end, start, key in told}
        mine = {agent: row for agent, row in mine.items() if agent in self.spots}
        for agent in self.frames.keys() - mine.keys():
            self._clear(agent)
            del self.frames[agent]
        newer = {row[3]: agent for agent, row in mine.items() if self.frames.get(agent) != row}
        for key, body in AgentStream.objects.filter(pk__in=list(newer)).values_list("pk", "live") if newer else ():
            agent = newer[key]
            self._fill(agent, unpack_columns(bytes(body)), mine[agent])
            self.frames[agent] = mine[agent]

    def _clear(self, agent: str) -> None:
        spots = list(self.spots[agent].values())
        self.percent[spots], self.has_value[spots], self.quality[spots] = np.nan, False, UNTOLD

    def _fill(self, agent: str, columns: Columns, newest: Newest) -> None:
        self._clear(agent)
        window = newest[1] - newest[2]
        taken, spots = _matched(columns, self.spots[agent])
        quality = columns.tags[taken] & 3
        known = (quality != UNTOLD) & (window > 0)
        value = columns.q[taken] // max(1, window)
        share = np.minimum(value / self.capacity[spots], 1.0) * 100
        self.percent[spots] = np.where(known, np.round(share, 1), np.nan)
        self.has_value[spots], self.quality[spots] = known, quality

    def told(self, now_ms: int) -> LiveMap:
        """The grid as it is."""
        full, known = np.nan_to_num(self.percent, nan=-1.0), ~np.isnan(self.percent)
        cells = np.where(known, np.floor(full + 0.5), np.where(self.exists, MISSING, ABSENT)).astype(np.uint8)
        ends = [newest[1] for newest in self.frames.values()]
        by_column = full.reshape(len(self.rows), len(self.columns)) if self.rows else full.reshape(1, 0)
        return LiveMap(
            stamp=self.stamp,
            rows=self.rows,
            columns=self.columns,
            cells=cells.tobytes(),
            proxy=np.packbits(known & (self.quality == PROXY)).tobytes(),
            shown=int(self.exists.sum()),
            measured=int((self.exists & (self.quality == MEASURED)).sum()),
            missing=int((self.exists & ~self.has_value).sum()),
            at_limit=int((full >= HOT).sum()),
            working=int((by_column >= WORKING).any(axis=0).sum()),
            oldest_ms=max(0, now_ms - min(ends)) if ends else None,
        )


def _matched(columns: Columns, spots: Mapping[tuple[str, str], int]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Which values of a window are shown, and where."""
    taken: list[int] = []
    found: list[int] = []
    at = 0
    for part in columns.parts:
        if part.attempt is None:
            _match(at, (part.device, part.names), spots, (taken, found))
        at += len(part.names)
    return np.array(taken, np.int64), np.array(found, np.int64)


def _match(
    at: int, part: tuple[str, Sequence[str]], spots: Mapping[tuple[str, str], int], into: tuple[list[int], list[int]]
) -> None:
    device, names = part
    for offset, name in enumerate(names):
        spot = spots.get((device, name))
        if spot is not None:
            into[0].append(at + offset)
            into[1].append(spot)


_boards: list[_Board] = []
_looking = Lock()


def live_map(viewer: Viewer, *, now_ms: int) -> LiveMap:
    """The newest windows of all agents. Supply is shared: every viewer sees the same grid."""
    stamp = supply_stamp(viewer)
    with _looking:
        if not _boards or _boards[0].stamp != stamp:
            _boards[:] = [_Board(viewer, stamp)]
        _boards[0].look()
        return _boards[0].told(now_ms)
