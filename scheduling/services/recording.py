"""Keep what the planner saw and said, so that any decision can be replayed.

Inputs are stored once by content: a queue that waits on an unchanged cluster adds nothing.
"""

import hashlib
import json
import logging
import zlib
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from scheduling.crater.model import Placement, Refusal, Snapshot
from scheduling.models import PlannerInput

log = logging.getLogger(__name__)


def record_input(snapshot: Snapshot) -> PlannerInput:
    """Store the snapshot unless an equal one (apart from its instant) is stored."""
    body = as_text(replace(snapshot, now_ms=0)).encode()
    row, _ = PlannerInput.objects.get_or_create(
        digest=hashlib.sha256(body).hexdigest(),
        defaults={"at_ms": snapshot.now_ms, "body": zlib.compress(body, 1)},
    )
    return row


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
    return json.dumps(value, default=_fields, sort_keys=True, separators=(",", ":"), allow_nan=not strict)


def _fields(value: Any) -> dict[str, Any]:
    """A slotted dataclass, or a mapping that is no dict, as a dict."""
    if isinstance(value, Mapping):
        return dict(value)
    return {name: getattr(value, name) for name in value.__slots__}
