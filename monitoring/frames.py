"""How is a frame's content kept? The one module that packs and unpacks it.

A body is one format byte and zlib-compressed JSON: devices, then attempts, each a list of
[dimension, q, source, quality, peak, coverage_ms, reason] with trailing gaps cut. Sources and
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

    @property
    def length_ms(self) -> int:
        return self.end_ms - self.start_ms


def pack(frame: Frame) -> bytes:
    """The devices and attempts of a frame as they are stored; the same frame gives the same bytes."""
    plain = [
        [[device.uuid, _dims(device.dims)] for device in frame.devices],
        [[attempt.key, attempt.device, _dims(attempt.dims)] for attempt in frame.attempts],
    ]
    text = json.dumps(plain, separators=(",", ":"), ensure_ascii=False)
    return bytes([FORMAT]) + zlib.compress(text.encode(), 6)


def unpack(body: bytes) -> tuple[tuple[DeviceUsage, ...], tuple[AttemptUsage, ...]]:
    """What `pack` was given. Errors: UnknownFormat."""
    if not body or body[0] != FORMAT:
        raise UnknownFormat(f"format {body[:1]!r}, this release reads {FORMAT}")
    devices, attempts = json.loads(zlib.decompress(body[1:]))
    return (
        tuple(DeviceUsage(uuid, _usages(dims)) for uuid, dims in devices),
        tuple(AttemptUsage(key, device, _usages(dims)) for key, device, dims in attempts),
    )


def _dims(dims: Mapping[str, Usage]) -> list[list[Any]]:
    rows = []
    for name in sorted(dims):
        usage = dims[name]
        row = [name, usage.q, SOURCES.index(usage.source), QUALITIES.index(usage.quality)]
        row += [usage.peak, usage.coverage_ms, usage.reason]
        while row[-1] is None and len(row) > 4:
            row.pop()
        rows.append(row)
    return rows


def _usages(rows: list[list[Any]]) -> dict[str, Usage]:
    return {name: Usage(q, SOURCES[source], QUALITIES[quality], *rest) for name, q, source, quality, *rest in rows}
