"""The smallest overlay that turns one body into another: how modes are written back (overlay.py lays them on again)."""

from collections import Counter
from collections.abc import Hashable, Mapping

Map = dict[str, object]
_NAMED = {"resources": "type", "components": "name", "capabilities": "name"}


def least_overlay(base: Mapping[str, object], full: Mapping[str, object]) -> Map:
    """The least that, laid over `base`, gives `full`."""
    found: Map = {key: None for key in base if key not in full}
    for key, value in full.items():
        before = base.get(key)
        if value == before:
            continue
        if isinstance(value, dict) and isinstance(before, dict):
            found[key] = least_overlay(before, value)
        elif isinstance(value, list) and isinstance(before, list) and key in _NAMED:
            found[key] = _list_over(before, value, key)
        else:
            found[key] = value
    return found


def _list_over(before: list[Map], after: list[Map], key: str) -> list[Map]:
    """Entries are known by name, or by type and place among that type."""
    known = dict(zip(_names(before, key), before, strict=True))
    found = []
    for name, entry in zip(_names(after, key), after, strict=True):
        base, named = known.get(name), _NAMED[key]
        if base is None or key == "capabilities":
            if entry != base:
                found.append(entry)
        else:
            found.append({named: entry[named], **least_overlay(base, entry)})
    return found


def _names(entries: list[Map], key: str) -> list[Hashable]:
    named, seen = _NAMED[key], Counter[object]()
    found: list[Hashable] = []
    for entry in entries:
        found.append((entry[named], seen[entry[named]]))
        seen[entry[named]] += 1
    return found
