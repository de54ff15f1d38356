"""Is a body sound before anything else looks at it? Finite numbers, whole text, bounded depth.

What JSON can carry and a database or a planner cannot is refused here with its place: NaN and infinities (also as
1e999), NUL characters, halves of surrogate pairs, nesting without end.
"""

import json
from collections.abc import Iterator, Mapping
from math import isfinite
from typing import Any

from rest_framework.parsers import JSONParser

from scheduling.errors import BadField

MOST_DEPTH = 64
MOST_DIGITS = 2**63


class SoundJson(JSONParser):
    """JSON whose every value can be stored and computed with. Errors: BadField with the path."""

    def parse(self, stream: Any, media_type: str | None = None, parser_context: Mapping[str, Any] | None = None) -> Any:
        """The body; its faults name their place."""
        try:
            body = json.loads(stream.read().decode("utf-8"))
        except RecursionError:
            raise BadField("body", "nested too deeply", f"nest at most {MOST_DEPTH} levels") from None
        except UnicodeDecodeError:
            raise BadField("body", "not UTF-8", "send JSON in UTF-8") from None
        except ValueError as failure:
            raise BadField("body", f"not JSON ({failure})"[:200], "send one JSON object") from None
        for path, found, expected in faults(body):
            raise BadField(path or "body", found, expected)
        return body


def faults(value: Any, path: str = "", depth: int = 0) -> Iterator[tuple[str, str, str]]:
    """(path, what was found, what is expected) of everything that cannot be taken."""
    if depth > MOST_DEPTH:
        yield path, "nested too deeply", f"nest at most {MOST_DEPTH} levels"
    elif isinstance(value, dict):
        for key, item in value.items():
            yield from _text(str(key), f"{path}.{_shown(key)}" if path else _shown(key))
            yield from faults(item, f"{path}.{key}" if path else str(key), depth + 1)
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from faults(item, f"{path}[{index}]", depth + 1)
    elif isinstance(value, float) and not isfinite(value):
        yield path, str(value), "give a finite number, or leave the key out"
    elif isinstance(value, int) and abs(value) >= MOST_DIGITS:
        yield path, "a number of more than 64 bits", f"give a number below {MOST_DIGITS}"
    elif isinstance(value, str):
        yield from _text(value, path)


def _text(text: str, path: str) -> Iterator[tuple[str, str, str]]:
    if "\0" in text:
        yield path, "a NUL character", "take it out"
    if any("\ud800" <= letter <= "\udfff" for letter in text):
        yield path, "half of a surrogate pair", "send whole characters"


def _shown(key: str) -> str:
    return key.encode("ascii", "backslashreplace").decode()
