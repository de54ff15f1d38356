"""Keep what the planner saw and said, so that any decision can be replayed.

An input is kept whole, or as what differs from an earlier one: a round in which little changed costs little, and a
queue that waits on an unchanged cluster adds nothing.
"""

import hashlib
import json
import logging
import zlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields, replace
from functools import cache
from operator import attrgetter
from typing import Any

from scheduling.crater.model import Placement, Refusal, Snapshot
from scheduling.models import PlannerInput
from scheduling.services.deltas import Plain, applied, changes

log = logging.getLogger(__name__)
#: Differences in a row before the whole is kept again: what a reader has to put together.
MOST_STEPS = 50


@dataclass(frozen=True, slots=True)
class _Last:
    """The input that this process recorded last; `left` bytes of differences are cheaper than a new whole."""

    row: PlannerInput
    snapshot: Snapshot
    left: int
    steps: int


_last: list[_Last] = []


def record_input(snapshot: Snapshot) -> PlannerInput:
    """Store the snapshot, apart from its instant, unless an equal one is stored."""
    last = _last[0] if _last else None
    if last is None or not PlannerInput.objects.filter(pk=last.row.pk).exists():  # it may have been rolled back
        return _whole(snapshot)
    found = changes(last.snapshot, snapshot)
    if not found:
        return last.row
    body = as_text(found).encode()
    if last.steps == MOST_STEPS or len(body) > last.left:
        return _whole(snapshot)
    row = _stored(last.row, body, snapshot.now_ms)
    _last[:] = [_Last(row, snapshot, last.left - len(body), last.steps + 1)]
    return row


def _whole(snapshot: Snapshot) -> PlannerInput:
    body = as_text(replace(snapshot, now_ms=0)).encode()
    row = _stored(None, body, snapshot.now_ms)
    _last[:] = [_Last(row, snapshot, len(body), 0)]
    return row


def _stored(base: PlannerInput | None, body: bytes, now_ms: int) -> PlannerInput:
    digest = hashlib.sha256((base.digest.encode() if base else b"") + body).hexdigest()
    written = {"at_ms": now_ms, "base": base, "body": zlib.compress(body, 1)}
    row, _ = PlannerInput.objects.get_or_create(digest=digest, defaults=written)
    return row


def input_of(row: PlannerInput) -> Plain:
    """The whole recorded input as JSON values, put together from its differences."""
    steps = []
    while row.base is not None:
        steps.append(row)
        row = row.base
    plain = _body(row)
    for step in reversed(steps):
        plain = applied(plain, _body(step))
    return plain


def _body(row: PlannerInput) -> Plain:
    plain: Plain = json.loads(zlib.decompress(bytes(row.body)))
    return plain


def as_plain(answer: Placement | Refusal) -> dict[str, Any]:
    """The answer as the JSON values that the database gives back (tuples become lists)."""
    plain: dict[str, Any] = json.loads(as_text(answer))
    return plain


def strict_text(value: object, *, instead: object) -> str:
    """JSON that a database takes; where figures are no numbers (NaN, infinity), what can be said instead."""
    try:
        return as_text(value, strict=True)
    except ValueError:
        log.error("the planner gave figures that are no numbers: %s", instead)
        return as_text(instead)


def as_text(value: object, *, strict: bool = False) -> str:
    """Canonical JSON of the core's values; the encoder asks for each dataclass once (asdict would copy all)."""
    return (STRICT if strict else PLAIN).encode(value)


def _as_dict(value: Any) -> dict[str, Any]:
    """A dataclass, or a mapping that is no dict, as a dict."""
    if isinstance(value, Mapping):
        return dict(value)
    names, read = _reader(value.__class__)
    return dict(zip(names, read(value), strict=True))


@cache
def _reader(kind: type) -> tuple[tuple[str, ...], Callable[[Any], tuple[Any, ...]]]:
    """The names of a dataclass's fields, and what reads them all at once."""
    names = tuple(field.name for field in fields(kind))
    return names, attrgetter(*names)


PLAIN, STRICT = (
    json.JSONEncoder(default=_as_dict, sort_keys=True, separators=(",", ":"), check_circular=False, allow_nan=allow_nan)
    for allow_nan in (True, False)
)
