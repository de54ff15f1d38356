"""Does somebody read every key of a body? One that nobody would read is an error with the nearest known one."""

from collections.abc import Mapping
from difflib import get_close_matches
from functools import cache
from typing import Any

from rest_framework import serializers
from rest_framework.fields import empty


class Strict(serializers.Serializer[Any]):
    """A shape that knows all its keys. Its fields are made once a class: they keep nothing of what they check."""

    def run_validation(self, data: Any = empty) -> Any:
        """By the fields that all requests share; within another shape by its own."""
        return super(Strict, self if self.parent is not None else _shared(type(self))).run_validation(data)

    def to_internal_value(self, data: Any) -> Any:
        """As DRF does, after a look at the keys."""
        if isinstance(data, Mapping):
            unknown = {str(key): [_hint(str(key), list(self.fields))] for key in data if key not in self.fields}
            if unknown:
                raise serializers.ValidationError(unknown)
        return super().to_internal_value(data)


@cache
def _shared(kind: type[Strict]) -> Strict:
    return kind()


def _hint(key: str, known: list[str]) -> str:
    near = get_close_matches(key, known, 1)
    return f"unknown key; did you mean {near[0]}?" if near else f"unknown key; known are {', '.join(known)}"
