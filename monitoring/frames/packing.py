"""From a window to bytes and back; the same window gives the same bytes.

Format 2: one format byte, then zlib over: the length of a JSON text, that text (lists of
capabilities, parts, reasons), one tag byte a value, and three int64 columns (q, peak,
coverage_ms) with equal bytes of all values side by side, which is what makes them small.
Format 1 (JSON throughout) is still read. Sources and qualities are positions in the tuples
below: append, never reorder. Usage of an attempt is the difference since the last frame that
named it, so sums over frames are exact.
"""

import json
import struct
import zlib
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any, get_args

import numpy as np

from alldata.agent.wire import AttemptUsage, DeviceUsage, Frame, Quality, Source, Usage
from monitoring.frames.columns import ABSENT, Columns, Numbers, Part

FORMAT = 2
SOURCES: tuple[Source, ...] = ("measured", "published", "driver", "sysfs", "estimated")
QUALITIES: tuple[Quality, ...] = ("measured", "proxy", "estimated", "missing")
assert set(SOURCES) == set(get_args(Source)) and set(QUALITIES) == set(get_args(Quality))
#: (source, quality) -> tag
TAGS: Mapping[tuple[str, str], int] = {
    (source, quality): s << 2 | q for s, source in enumerate(SOURCES) for q, quality in enumerate(QUALITIES)
}
LENGTH = struct.Struct("<I")
LEVEL = 1


class UnknownFormat(ValueError):
    """A stored body was written by a newer release."""


def pack(frame: Frame) -> bytes:
    """The devices and attempts of a frame as they are stored."""
    return pack_columns(columns_of(frame))


def unpack(body: bytes) -> tuple[tuple[DeviceUsage, ...], tuple[AttemptUsage, ...]]:
    """What `pack` was given. Errors: UnknownFormat."""
    columns = unpack_columns(body)
    dims = _dims(columns)
    devices = [
        DeviceUsage(part.device, found) for part, found in zip(columns.parts, dims, strict=True) if part.attempt is None
    ]
    return tuple(devices), _attempts(columns.parts, dims)


def unpack_attempts(body: bytes) -> tuple[AttemptUsage, ...]:
    """The attempts alone, for those who read many frames of one job. Errors: UnknownFormat."""
    return unpack(body)[1]


def _attempts(parts: Sequence[Part], dims: Sequence[dict[str, Usage]]) -> tuple[AttemptUsage, ...]:
    return tuple(
        AttemptUsage(part.attempt, part.device, found, part.start_ms, part.end_ms)
        for part, found in zip(parts, dims, strict=True)
        if part.attempt is not None
    )


def pack_columns(columns: Columns) -> bytes:
    """Columns as they are stored."""
    groups: dict[tuple[str, ...], int] = {}
    parts = []
    for part in columns.parts:
        group = groups.setdefault(part.names, len(groups))
        own = [] if part.attempt is None else [part.attempt, part.start_ms, part.end_ms]
        parts.append([part.device, group, *own])
    plain = [list(groups), parts, sorted(columns.reasons.items())]
    text = json.dumps(plain, separators=(",", ":"), ensure_ascii=False).encode()
    numbers = np.concatenate([columns.q, columns.peak, columns.coverage_ms]).astype("<i8", copy=False)
    shuffled = numbers.view(np.uint8).reshape(-1, 8).T.tobytes()
    raw = b"".join((LENGTH.pack(len(text)), text, columns.tags.tobytes(), shuffled))
    return bytes([FORMAT]) + zlib.compress(raw, LEVEL)


def unpack_columns(body: bytes) -> Columns:
    """What `pack_columns` was given. Errors: UnknownFormat."""
    if body[:1] == b"\x01":
        return _columns_of_json(json.loads(zlib.decompress(body[1:])))
    if not body or body[0] != FORMAT:
        raise UnknownFormat(f"format {body[:1]!r}, this release reads up to {FORMAT}")
    raw = zlib.decompress(body[1:])
    at = LENGTH.size + LENGTH.unpack_from(raw)[0]
    parts, reasons = _shape(raw[LENGTH.size : at])
    count = sum(len(part.names) for part in parts)
    tags = np.frombuffer(raw, np.uint8, count, at)
    bytewise = np.frombuffer(raw, np.uint8, 24 * count, at + count).reshape(8, 3 * count)
    numbers = np.ascontiguousarray(bytewise.T).view("<i8").reshape(3, count).astype(np.int64, copy=False)
    return Columns(parts, numbers[0], numbers[1], numbers[2], tags, dict(reasons))


@lru_cache(maxsize=1024)
def _shape(text: bytes) -> tuple[tuple[Part, ...], tuple[tuple[int, str], ...]]:
    """Parts and reasons; windows of one agent mostly have the same text."""
    names, rows, reasons = json.loads(text)
    groups = [tuple(group) for group in names]
    parts = tuple(Part(device, groups[group], *own) for device, group, *own in rows)
    return parts, tuple((k, reason) for k, reason in reasons)


def columns_of(frame: Frame) -> Columns:
    """A frame from the wire, as columns."""
    parts = [Part(device.uuid, tuple(sorted(device.dims))) for device in frame.devices]
    parts += [Part(a.device, tuple(sorted(a.dims)), a.key, a.start_ms, a.end_ms) for a in frame.attempts]
    told = [*(device.dims for device in frame.devices), *(attempt.dims for attempt in frame.attempts)]
    given = [dims[name] for dims in told for name in sorted(dims)]
    return Columns(
        tuple(parts),
        _numbers([usage.q for usage in given], 0),
        _numbers([usage.peak for usage in given], ABSENT),
        _numbers([usage.coverage_ms for usage in given], ABSENT),
        np.array([TAGS[usage.source, usage.quality] for usage in given], np.uint8),
        {k: usage.reason for k, usage in enumerate(given) if usage.reason is not None},
    )


def _numbers(values: Sequence[int | None], absent: int) -> Numbers:
    return np.array([absent if value is None else value for value in values], np.int64)


def _dims(columns: Columns) -> list[dict[str, Usage]]:
    """The usages of each part, by name."""
    usages = [
        Usage(
            None if tag & 3 == _MISSING else q,
            SOURCES[tag >> 2],
            QUALITIES[tag & 3],
            None if peak == ABSENT else peak,
            None if coverage == ABSENT else coverage,
            columns.reasons.get(k),
        )
        for k, (q, peak, coverage, tag) in enumerate(
            zip(*(c.tolist() for c in (columns.q, columns.peak, columns.coverage_ms, columns.tags)), strict=True)
        )
    ]
    found, at = [], 0
    for part in columns.parts:
        found.append(dict(zip(part.names, usages[at : at + len(part.names)], strict=True)))
        at += len(part.names)
    return found


_MISSING = QUALITIES.index("missing")


def _columns_of_json(plain: list[list[list[Any]]]) -> Columns:
    """Format 1: [uuid, dims] of devices, [key, device, dims, start, end] of attempts, all JSON."""
    devices = tuple(DeviceUsage(uuid, _usages(dims)) for uuid, dims in plain[0])
    attempts = tuple(AttemptUsage(key, device, _usages(dims), *span) for key, device, dims, *span in plain[1])
    return columns_of(Frame("", 0, 0, 1, devices, attempts))


def _usages(rows: list[list[Any]]) -> dict[str, Usage]:
    return {name: Usage(q, SOURCES[source], QUALITIES[quality], *rest) for name, q, source, quality, *rest in rows}
