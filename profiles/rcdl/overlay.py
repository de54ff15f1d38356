"""Lay one tree over another: how modes and alternatives change a body.

Maps merge by key and null removes a key. `resources` merge by type and position among that
type, `components` by name, `capabilities` by the dimension they mean; what matches nothing is
added. `constraints` merge by what they mean, so `min_sm_count` replaces `sm_count: {min: ...}`
written otherwise. Every other list is replaced. Positions are kept, so errors still point at
their line.
"""

from collections import Counter
from collections.abc import Callable, Hashable

from profiles.dimensions import lookup
from profiles.errors import UnknownCapability
from profiles.rcdl.constraints import slot
from profiles.rcdl.tree import Mapping, Scalar, Sequence, Tree


def overlay(base: Mapping, over: Mapping) -> Mapping:
    """`over` on top of `base`; neither is changed."""
    items, keys = dict(base.items), dict(base.keys)
    for key, value in over.items.items():
        keys[key] = over.keys.get(key, value.spot)
        if isinstance(value, Scalar) and value.value is None:
            items.pop(key, None)
        else:
            items[key] = _merged(key, items.get(key), value, _text(base, "type"))
    return Mapping(base.spot, items, keys)


def _merged(key: str, base: Tree | None, over: Tree, kind: str) -> Tree:
    if isinstance(base, Mapping) and isinstance(over, Mapping):
        return overlay(_without(base, over, kind) if key == "constraints" else base, over)
    if isinstance(base, Sequence) and isinstance(over, Sequence):
        if key == "resources":
            return _by(base, over, _positions)
        if key == "components":
            return _by(base, over, lambda items: [_text(item, "name") for item in items])
        if key == "capabilities":
            return _replaced(base, over, kind)
    return over


def _by(base: Sequence, over: Sequence, name: Callable[[tuple[Tree, ...]], list[Hashable]]) -> Sequence:
    """Items of equal name are overlaid, others added."""
    items = dict(zip(name(base.items), base.items, strict=True))
    for key, item in zip(name(over.items), over.items, strict=True):
        known = items.get(key)
        items[key] = overlay(known, item) if isinstance(known, Mapping) and isinstance(item, Mapping) else item
    return Sequence(base.spot, tuple(items.values()))


def _positions(items: tuple[Tree, ...]) -> list[Hashable]:
    """(type, how many of that type came before)."""
    seen: Counter[str] = Counter()
    found: list[Hashable] = []
    for item in items:
        kind = _text(item, "type")
        found.append((kind, seen[kind]))
        seen[kind] += 1
    return found


def _without(base: Mapping, over: Mapping, kind: str) -> Mapping:
    """The constraints that the overlay does not state in other words."""
    stated = {_slot(key, kind): key for key in over.items}
    kept = {key: value for key, value in base.items.items() if stated.get(_slot(key, kind), key) == key}
    return Mapping(base.spot, kept, base.keys)


def _slot(key: str, kind: str) -> Hashable:
    known = slot(key, kind)
    return (known[0], known[1].name) if known else key


def _replaced(base: Sequence, over: Sequence, kind: str) -> Sequence:
    """A capability of the overlay stands in for the whole entry of the same dimension."""
    items: dict[Hashable, Tree] = {_dimension(item, kind): item for item in base.items}
    seen: set[Hashable] = set()
    for item in over.items:
        name = _dimension(item, kind)
        items[(name, item.spot) if name in seen else name] = item  # said twice: the reader will refuse it
        seen.add(name)
    return Sequence(base.spot, tuple(items.values()))


def _dimension(item: Tree, kind: str) -> Hashable:
    name = _text(item, "name")
    try:
        return lookup(name, kind)[0].name
    except UnknownCapability:
        return name, item.spot


def _text(tree: Tree, key: str) -> str:
    value = tree.items.get(key) if isinstance(tree, Mapping) else None
    return value.text if isinstance(value, Scalar) else ""
