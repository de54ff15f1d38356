"""Does this JSON have exactly the shape a dataclass declares?

`decoder(cls)` is compiled once per class from its type hints, so that reading a frame costs a
few dictionary look-ups a value; the path to a fault is only put together when there is one.
Unknown fields are refused: a message that says more than its version allows is not understood.
Dataclasses add their own laws by raising `WireError` in `__post_init__`.
"""

import types
from collections.abc import Callable, Mapping
from dataclasses import MISSING, fields, is_dataclass
from typing import Any, Literal, TypeVar, Union, cast, get_args, get_origin, get_type_hints

T = TypeVar("T")
Read = Callable[[object], Any]

MAX_INT = 2**63 - 1
MAX_TEXT = 4096
MAX_ITEMS = 20_000
SHOWN = 80


class WireError(ValueError):
    """One value is not what the message promises: where, what was expected, what was found."""

    def __init__(self, path: str, expected: str, found: str) -> None:
        super().__init__(path, expected, found)
        self.path = path
        self.expected = expected
        self.found = found

    def __str__(self) -> str:
        return f"{self.path or 'message'}: expected {self.expected}, found {self.found}"

    def below(self, step: str) -> "WireError":
        """The same fault seen from one level further up."""
        joint = "" if not self.path or self.path.startswith("[") else "."
        return type(self)(f"{step}{joint}{self.path}", self.expected, self.found)


def shown(value: object) -> str:
    """A short picture of a value for an error message."""
    text = repr(value)[: SHOWN + 1]
    return text if len(text) <= SHOWN else text[:SHOWN] + "…"


def decode(cls: type[T], value: object) -> T:
    """`value` as a `cls`, or WireError."""
    return cast(T, decoder(cls)(value))


_decoders: dict[object, Read] = {}


def decoder(hint: object) -> Read:
    """The reader for one type hint, compiled on first use."""
    if hint not in _decoders:
        _decoders[hint] = _compile(hint)
    return _decoders[hint]


def _compile(hint: object) -> Read:
    origin, args = get_origin(hint), get_args(hint)
    if hint in _SCALARS:
        return _SCALARS[hint]
    if origin is Literal:
        return _choice(args)
    if origin in (Union, types.UnionType):
        return _union(args)
    if origin is tuple:
        return _sequence(decoder(args[0]))
    if origin is Mapping:
        return _mapping(decoder(args[1]))
    if isinstance(hint, type) and is_dataclass(hint):
        return _record(hint)
    raise TypeError(f"no decoder for {hint!r}")


def _text(value: object) -> str:
    if type(value) is not str:
        raise WireError("", "text", shown(value))
    if len(value) > MAX_TEXT:
        raise WireError("", f"at most {MAX_TEXT} characters", f"{len(value)}")
    return value


def _whole(value: object) -> int:
    if type(value) is not int:
        raise WireError("", "a whole number", shown(value))
    if not 0 <= value <= MAX_INT:
        raise WireError("", "a number from 0 to 2^63-1", shown(value))
    return value


def _claim(value: object) -> bool:
    if type(value) is not bool:
        raise WireError("", "true or false", shown(value))
    return value


_SCALARS: Mapping[object, Read] = {str: _text, int: _whole, bool: _claim}


def _choice(allowed: tuple[object, ...]) -> Read:
    def read(value: object) -> object:
        if type(value) is not str or value not in allowed:
            raise WireError("", "one of " + ", ".join(map(str, allowed)), shown(value))
        return value

    return read


def _union(args: tuple[object, ...]) -> Read:
    members = [arg for arg in args if arg is not type(None)]
    by_type = {arg: decoder(arg) for arg in members if arg in _SCALARS}
    other = next((decoder(arg) for arg in members if arg not in _SCALARS), None)
    nullable = len(members) < len(args)
    names = ", ".join(getattr(arg, "__name__", str(arg)) for arg in members)

    def read(value: object) -> object:
        if value is None and nullable:
            return None
        reader = by_type.get(type(value), other)
        if reader is None:
            raise WireError("", names + (" or null" if nullable else ""), shown(value))
        return reader(value)

    return read


def _sequence(item: Read) -> Read:
    def read(value: object) -> tuple[object, ...]:
        if type(value) is not list:
            raise WireError("", "a list", shown(value))
        if len(value) > MAX_ITEMS:
            raise WireError("", f"at most {MAX_ITEMS} items", f"{len(value)}")
        found = []
        for index, member in enumerate(value):
            try:
                found.append(item(member))
            except WireError as fault:
                raise fault.below(f"[{index}]") from None
        return tuple(found)

    return read


def _mapping(item: Read) -> Read:
    def read(value: object) -> dict[str, object]:
        if type(value) is not dict:
            raise WireError("", "an object", shown(value))
        if len(value) > MAX_ITEMS:
            raise WireError("", f"at most {MAX_ITEMS} entries", f"{len(value)}")
        found = {}
        for key, member in value.items():
            try:
                found[_text(key)] = item(member)
            except WireError as fault:
                raise fault.below(shown(key).strip("'")) from None
        return found

    return read


def _record(cls: type) -> Read:
    hints = get_type_hints(cls)
    readers = {f.name: decoder(hints[f.name]) for f in fields(cls)}
    required = tuple(f.name for f in fields(cls) if f.default is MISSING and f.default_factory is MISSING)

    def read(value: object) -> object:
        if type(value) is not dict:
            raise WireError("", "an object", shown(value))
        for name in required:
            if name not in value:
                raise WireError(name, "a value", "nothing")
        found = {}
        for name, member in value.items():
            reader = readers.get(name)
            if reader is None:
                raise WireError(shown(name).strip("'"), "no such field", shown(member))
            try:
                found[name] = reader(member)
            except WireError as fault:
                raise fault.below(name) from None
        return cls(**found)

    return read


def encode(value: object) -> Any:
    """A dataclass as plain JSON data; optional fields that are None are left out."""
    if is_dataclass(value):
        plain = {}
        for f in fields(value):
            member = getattr(value, f.name)
            if member is not None or f.default is MISSING:
                plain[f.name] = encode(member)
        return plain
    if isinstance(value, Mapping):
        return {key: encode(member) for key, member in value.items()}
    if isinstance(value, tuple | list):
        return [encode(member) for member in value]
    return value
