"""What did the planner see? A recorded input as the Snapshot it was, to decide on again.

Inputs recorded before a field existed lack it: the field's default is what the planner knew then.
Inputs are kept without their instant; give that of the decision.
"""

from dataclasses import fields, is_dataclass, replace
from functools import cache
from types import UnionType
from typing import Any, TypeVar, Union, get_args, get_origin, get_type_hints

from scheduling.crater.model import Snapshot
from scheduling.models import PlannerInput
from scheduling.services.recording import input_of

T = TypeVar("T")


def recorded(row: PlannerInput, *, at_ms: int) -> Snapshot:
    """The snapshot of a decision made at this instant."""
    seen: Snapshot = _made(Snapshot, input_of(row))
    return replace(seen, now_ms=at_ms)


def restored(kind: type[T], plain: Any) -> T:
    """A value of the core from the JSON that recording.as_plain made of it."""
    made: T = _made(kind, plain)
    return made


def _made(kind: Any, plain: Any) -> Any:
    """A value of an annotated type from JSON: dataclasses by their fields, tuples from lists, the rest as it is."""
    if is_dataclass(kind) and isinstance(kind, type):
        return kind(**{name: _made(hint, plain[name]) for name, hint in _fields(kind) if name in plain})
    if get_origin(kind) in (Union, UnionType):
        return None if plain is None else _of_union(get_args(kind), plain)
    if get_origin(kind) is tuple:
        return tuple(_made(get_args(kind)[0], one) for one in plain)
    if isinstance(kind, type) and issubclass(kind, str):
        return kind(plain)
    return plain


@cache
def _fields(kind: type) -> tuple[tuple[str, Any], ...]:
    hints = get_type_hints(kind)
    return tuple((field.name, hints[field.name]) for field in fields(kind))


def _of_union(kinds: tuple[Any, ...], plain: Any) -> Any:
    """JSON tells objects and lists apart from the rest, and that is all a union here needs."""
    if isinstance(plain, dict):
        return _made(next(kind for kind in kinds if is_dataclass(kind)), plain)
    if isinstance(plain, list):
        return _made(next(kind for kind in kinds if get_origin(kind) is tuple), plain)
    return plain
