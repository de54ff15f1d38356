"""How is a frame's content kept? The one module that packs and unpacks it.

A body is one format byte and zlib-compressed JSON: [uuid, dims] of devices, then [key, device,
dims, start_ms, end_ms] of attempts, where dims are [dimension, q, source, quality, peak,
coverage_ms, reason]; trailing gaps are cut. Sources and
qualities are positions in the tuples below: append, never reorder. Usage of an attempt is the
difference since the last frame that named it, so sums over frames are exact.
"""

import json
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, get_args

from alldata.agent.wire import AttemptUsage, DeviceUsage, Frame, Quality, Source, Usage

FORMAT = 1
SOURCES: tuple[Source, ...] = ("measured", "published", "driver", "sysfs", "estimated")
QUALITIES: tuple[Quality, ...] = ("measured", "proxy", "estimated", "missing")
assert set(SOURCES) == set(get_args(Source)) and set(QUALITIES) == set(get_args(Quality))


class UnknownFormat(ValueError):
    """A stored body was written by a newer release."""


@dataclass(frozen=True, slots=True)
class StoredFrame:
    """One stored window of one agent, unpacked."""

    agent: str
    epoch: str
    seq: int
    start_ms: int
    end_ms: int
    devices: tuple[DeviceUsage, ...]
    attempts: tuple[AttemptUsage, ...]

    def of(self, attempt: str) -> list[AttemptUsage]:
        """What the frame reports of one attempt, by device."""
        return [usage for usage in self.attempts if usage.key == attempt]


def span_of(usage: AttemptUsage, frame: StoredFrame, since_ms: int | None) -> tuple[int, int]:
    """When reported usage happened: as the engine says, else since the report before this one."""
    if usage.start_ms is not None and usage.end_ms is not None and usage.start_ms < usage.end_ms:
        return usage.start_ms, usage.end_ms
    start_ms = frame.start_ms if since_ms is None else since_ms
    return min(start_ms, frame.end_ms - 1), frame.end_ms


def pack(frame: Frame) -> bytes:
    """The devices and attempts of a frame as they are stored; the same frame gives the same bytes."""
    plain = [
        [[device.uuid, _dims(device.dims)] for device in frame.devices],
        [_cut([a.key, a.device, _dims(a.dims), a.start_ms, a.end_ms], 3) for a in frame.attempts],
    ]
    text = json.dumps(plain, separators=(",", ":"), ensure_ascii=False)
    return bytes([FORMAT]) + zlib.compress(text.encode(), 6)


def unpack(body: bytes) -> tuple[tuple[DeviceUsage, ...], tuple[AttemptUsage, ...]]:
    """What `pack` was given. Errors: UnknownFormat."""
    plain = _plain(body)
    return tuple(DeviceUsage(uuid, _usages(dims)) for uuid, dims in plain[0]), _attempts(plain[1])


def unpack_attempts(body: bytes) -> tuple[AttemptUsage, ...]:
    """The attempts alone, for those who read many frames of one job. Errors: UnknownFormat."""
    return _attempts(_plain(body)[1])


def _attempts(rows: list[list[Any]]) -> tuple[AttemptUsage, ...]:
    return tuple(AttemptUsage(key, device, _usages(dims), *span) for key, device, dims, *span in rows)


def _plain(body: bytes) -> Any:
    if not body or body[0] != FORMAT:
        raise UnknownFormat(f"format {body[:1]!r}, this release reads {FORMAT}")
    return json.loads(zlib.decompress(body[1:]))


def _dims(dims: Mapping[str, Usage]) -> list[list[Any]]:
    rows = []
    for name in sorted(dims):
        usage = dims[name]
        row = [name, usage.q, SOURCES.index(usage.source), QUALITIES.index(usage.quality)]
        rows.append(_cut([*row, usage.peak, usage.coverage_ms, usage.reason], 4))
    return rows


def _cut(row: list[Any], least: int) -> list[Any]:
    """The row without its trailing gaps."""
    while row[-1] is None and len(row) > least:
        row.pop()
    return row


def _usages(rows: list[list[Any]]) -> dict[str, Usage]:
    return {name: Usage(q, SOURCES[source], QUALITIES[quality], *rest) for name, q, source, quality, *rest in rows}
