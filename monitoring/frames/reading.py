"""From a message of an agent to windows: quickly where it is well formed, precisely where not.

`kind` "frame" carries one window in `body`; "frames" carries several in `body.frames`, which is
what a spool sends after an outage. The quick way goes from JSON to columns without an object a
value; whatever it does not like goes through the wire's own decoder, which names the fault.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import repeat
from typing import Any

import numpy as np

from alldata.agent.decode import MAX_INT, MAX_TEXT, decode, shown
from alldata.agent.wire import WIRE, Frame, WireError, WireVersionRefused, parse_json
from monitoring.frames.columns import ABSENT, Columns, Numbers, Part
from monitoring.frames.packing import TAGS, columns_of

MAX_WINDOWS = 1_000
#: What the columns hold: names of agents and epochs, and keys of attempts.
MAX_NAME, MAX_KEY = 120, 64
_ENVELOPE = frozenset({"wire", "kind", "agent", "agent_version", "sent_ms", "body"})
_FRAME = frozenset({"epoch", "seq", "start_ms", "end_ms", "devices", "attempts"})
_DEVICE, _ATTEMPT = frozenset({"uuid", "dims"}), frozenset({"key", "device", "dims", "start_ms", "end_ms"})
_USAGE = frozenset({"q", "source", "quality", "peak", "coverage_ms"})


@dataclass(frozen=True, slots=True)
class Window:
    """One closed window as it is to be stored."""

    epoch: str
    seq: int
    start_ms: int
    end_ms: int
    columns: Columns


@dataclass(frozen=True, slots=True)
class Delivery:
    """What one post brings: the sender and its windows, in the order sent."""

    agent: str
    agent_version: str
    single: bool
    windows: tuple[Window, ...]


class _Unusual(Exception):
    """The quick way cannot vouch for this value."""


def read_delivery(raw: bytes) -> Delivery:
    """The windows in a message. Errors: WireError, WireVersionRefused."""
    plain = parse_json(raw)
    if type(plain) is not dict:
        raise WireError("", "an object", shown(plain))
    if type(plain.get("wire")) is not int or plain["wire"] != WIRE:
        raise WireVersionRefused("wire", f"version {WIRE}", shown(plain.get("wire")))
    for name in sorted(_ENVELOPE ^ plain.keys()):
        raise WireError(name, "no such field" if name in plain else "a value", shown(plain.get(name)))
    decode_whole(plain["sent_ms"], "sent_ms")
    agent, version = (storable(decode_text(plain[name], name), name) for name in ("agent", "agent_version"))
    if plain["kind"] == "frame":
        return Delivery(agent, version, True, (_window(plain["body"], "body"),))
    if plain["kind"] == "frames":
        return Delivery(agent, version, False, _windows(plain["body"]))
    raise WireError("kind", "frame or frames", shown(plain["kind"]))


def decode_text(value: object, path: str) -> str:
    """A text of bounded length, or WireError."""
    if type(value) is not str or len(value) > MAX_TEXT:
        raise WireError(path, f"text of at most {MAX_TEXT} characters", shown(value))
    return value


def decode_whole(value: object, path: str) -> int:
    """A number from 0 to 2^63-1, or WireError."""
    if type(value) is not int or not 0 <= value <= MAX_INT:
        raise WireError(path, "a whole number from 0 to 2^63-1", shown(value))
    return value


def storable(text: str, path: str, limit: int = MAX_NAME) -> str:
    """The text, if a column can hold it, or WireError."""
    if len(text) > limit or "\0" in text:
        raise WireError(path, f"text of at most {limit} characters, none of them NUL", shown(text))
    return text


def _windows(body: object) -> tuple[Window, ...]:
    rows = body.get("frames") if type(body) is dict and len(body) == 1 else None
    if type(rows) is not list or not 0 < len(rows) <= MAX_WINDOWS:
        raise WireError("body.frames", f"1 to {MAX_WINDOWS} frames", shown(body))
    return tuple(_window(row, f"body.frames[{k}]") for k, row in enumerate(rows))


def _window(plain: object, path: str) -> Window:
    try:
        window = _quick(plain)
    except (_Unusual, KeyError, TypeError, AttributeError, OverflowError):
        window = _careful(plain, path)
    storable(window.epoch, f"{path}.epoch")
    for key in window.columns.attempts:
        storable(key, f"{path}.attempts.key", MAX_KEY)
    return window


def _careful(plain: object, path: str) -> Window:
    """The same through the wire's own decoder, which finds and names what is wrong."""
    try:
        return window_of(decode(Frame, plain))
    except WireError as fault:
        raise fault.below(path) from None


def window_of(frame: Frame) -> Window:
    """A frame of the wire as it is to be stored."""
    return Window(frame.epoch, frame.seq, frame.start_ms, frame.end_ms, columns_of(frame))


def _quick(plain: Any) -> Window:
    if not _FRAME.issuperset(plain) or type(plain["epoch"]) is not str or len(plain["epoch"]) > MAX_TEXT:
        raise _Unusual
    seq, start_ms, end_ms = (_number(plain[name]) for name in ("seq", "start_ms", "end_ms"))
    if end_ms <= start_ms:
        raise _Unusual
    parts: list[Part] = []
    usages: list[Mapping[str, Any]] = []
    for row in plain.get("devices", ()):
        names = _take(row, _DEVICE, usages)
        parts.append(Part(_known(row["uuid"]), names))
    for row in plain.get("attempts", ()):
        names = _take(row, _ATTEMPT, usages)
        span = (None if row.get(name) is None else _number(row[name]) for name in ("start_ms", "end_ms"))
        parts.append(Part(_known(row["device"]), names, _known(row["key"]), *span))
    return Window(plain["epoch"], seq, start_ms, end_ms, _columns(parts, usages))


def _number(value: object) -> int:
    """A number the quick way accepts."""
    if type(value) is not int or not 0 <= value <= MAX_INT:
        raise _Unusual
    return value


def _known(text: object) -> str:
    if type(text) is not str or len(text) > MAX_TEXT:
        raise _Unusual
    return text


def _take(row: Any, fields: frozenset[str], usages: list[Mapping[str, Any]]) -> tuple[str, ...]:
    """Put the row's usages in order of their names."""
    dims = row["dims"]
    if not fields.issuperset(row) or type(dims) is not dict:
        raise _Unusual
    names = _in_order(tuple(dims))
    usages.extend(map(dims.__getitem__, names))
    return names


@lru_cache(maxsize=1024)
def _in_order(names: tuple[str, ...]) -> tuple[str, ...]:
    """The capabilities of a device, sorted: windows of a fleet have few different lists of them."""
    if any(len(name) > MAX_TEXT for name in names):
        raise _Unusual
    return tuple(sorted(names))


def _columns(parts: list[Part], usages: list[Mapping[str, Any]]) -> Columns:
    """The values as columns; a reason, a gap or anything odd is left to the careful way."""
    if not all(map(_USAGE.issuperset, usages)):
        raise _Unusual
    tags = np.array([TAGS[usage["source"], usage["quality"]] for usage in usages], np.uint8)
    q = _numbers([usage["q"] for usage in usages])
    if bool(np.any(tags & 3 == 3)):
        raise _Unusual
    peak, coverage = ([usage.get(name) for usage in usages] for name in ("peak", "coverage_ms"))
    return Columns(tuple(parts), q, _optional(peak), _optional(coverage), tags)


def _numbers(values: list[Any]) -> Numbers:
    if not set(map(type, values)) <= {int}:
        raise _Unusual
    made = np.fromiter(values, np.int64, len(values))
    if made.size and int(made.min()) < 0:
        raise _Unusual
    return made


def _optional(values: list[Any]) -> Numbers:
    if values.count(None) == len(values):
        return np.fromiter(repeat(ABSENT, len(values)), np.int64, len(values))
    if None in values:
        known = np.array([value is not None for value in values])
        filled = _numbers([0 if value is None else value for value in values])
        return np.where(known, filled, ABSENT)
    return _numbers(values)
