"""Which bytes of an attempt's output are still there, and what do they say?

The shim cuts the stream into equal segments named by their number (docs/shim.md), so the
listing alone tells offsets, total and what was dropped.
"""

from pathlib import Path

from scheduling.executors.base import LogChunk


def read_log(run: Path, *, segment_bytes: int, after: int, limit: int) -> LogChunk:
    """At most `limit` bytes from byte `after`, or from the next byte kept; negative counts from the end."""
    segments = {int(path.suffix[1:]): path for path in run.glob("log.[0-9]*")}
    if not segments:
        return LogChunk(offset=0, next_offset=0, text="", total=0)
    newest = max(segments)
    total = newest * segment_bytes + segments[newest].stat().st_size
    dropped = (newest + 1 - len(segments)) * segment_bytes
    start = max(0, total + after) if after < 0 else min(after, total)
    if start // segment_bytes not in segments:
        start = segment_bytes * min(index for index in segments if index * segment_bytes >= start)
    data = _whole_characters(_read(segments, segment_bytes, start=start, limit=limit))
    decoded = data.decode("utf-8", errors="replace").replace("\x00", "\ufffd")
    return LogChunk(offset=start, next_offset=start + len(data), text=decoded, total=total, dropped=dropped)


def _read(segments: dict[int, Path], segment_bytes: int, *, start: int, limit: int) -> bytes:
    """Bytes from `start` up to the limit, the end or the next gap."""
    data = bytearray()
    while len(data) < limit:
        index, place = divmod(start + len(data), segment_bytes)
        if index not in segments:
            break
        try:
            with segments[index].open("rb") as file:
                file.seek(place)
                piece = file.read(min(limit - len(data), segment_bytes - place))
        except FileNotFoundError:
            break  # dropped while we read
        if not piece:
            break
        data += piece
    return bytes(data)


def _whole_characters(data: bytes) -> bytes:
    """Leave a character that is cut at the end for the next read, unless it is all there is."""
    for back in range(1, min(4, len(data)) + 1):
        byte = data[-back]
        if byte & 0xC0 == 0x80:
            continue
        width = 4 if byte >= 0xF0 else 3 if byte >= 0xE0 else 2 if byte >= 0xC0 else 1
        return data[:-back] if width > back and back < len(data) else data
    return data


def tail(path: Path, *, limit: int = 400) -> str:
    """The last words of a small text file; empty when there are none."""
    try:
        return path.read_bytes()[-limit:].decode("utf-8", errors="replace").strip()
    except OSError:
        return ""
