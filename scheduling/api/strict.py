"""Does somebody read every key of a body? One that nobody would read is an error with the nearest known one."""

from collections.abc import Mapping
from difflib import get_close_matches
from typing import Any

from rest_framework import serializers


class Strict(serializers.Serializer[Any]):
    """A shape that knows all its keys."""

    def to_internal_value(self, data: Any) -> Any:
        """As DRF does, after a look at the keys."""
        if isinstance(data, Mapping):
            unknown = {str(key): [_hint(str(key), list(self.fields))] for key in data if key not in self.fields}
            if unknown:
                raise serializers.ValidationError(unknown)
        return super().to_internal_value(data)


def _hint(key: str, known: list[str]) -> str:
    near = get_close_matches(key, known, 1)
    return f"unknown key; did you mean {near[0]}?" if near else f"unknown key; known are {', '.join(known)}"
