"""What differs between two inputs of the planner, and how is the later one made again from the earlier?

Machines and jobs are compared one by one (unchanged machines are the same objects, see selectors/supply.py);
everything else is kept whole where it differs. Plain JSON values on the side that reads.
"""

from collections.abc import Mapping
from itertools import pairwise
from operator import attrgetter, itemgetter
from typing import Any

from scheduling.crater.model import Snapshot

Plain = dict[str, Any]
#: Fields of many things with a name: the name, and what orders them in a snapshot.
NAMED: Mapping[str, tuple[str, tuple[str, ...]]] = {
    "nodes": ("name", ("name",)),
    "queue": ("job", ("submitted_ms", "job")),
}


def changes(old: Snapshot, new: Snapshot) -> dict[str, Any]:
    """The fields that differ, apart from the instant: {"all": value}, or {"gone": names, "new": values}."""
    found = {}
    for name in Snapshot.__slots__:
        before, after = getattr(old, name), getattr(new, name)
        if name != "now_ms" and before is not after and before != after:
            found[name] = _difference(name, before, after)
    return found


def _difference(field: str, before: Any, after: Any) -> dict[str, Any]:
    if field not in NAMED or not _in_order(field, after):
        return {"all": after}
    name = NAMED[field][0]
    had = {getattr(item, name): item for item in before}
    has = {getattr(item, name): item for item in after}
    same = had.keys() & has.keys()
    changed = {key for key in same if had[key] is not has[key] and had[key] != has[key]}
    gone = sorted(had.keys() - has.keys())
    return {"gone": gone, "new": [item for key, item in has.items() if key in changed or key not in same]}


def _in_order(field: str, items: Any) -> bool:
    """Whether the order follows from the items themselves, and each name is there once."""
    name, orders = NAMED[field]
    order = [*map(attrgetter(*orders), items)]
    return len({getattr(item, name) for item in items}) == len(items) and all(a < b for a, b in pairwise(order))


def applied(plain: Plain, found: Mapping[str, Any]) -> Plain:
    """The later input, as JSON values, from the earlier one and what differs."""
    later = dict(plain)
    for field, difference in found.items():
        if "all" in difference:
            later[field] = difference["all"]
            continue
        name, order = NAMED[field]
        items = {item[name]: item for item in plain[field]}
        for key in difference["gone"]:
            del items[key]
        items |= {item[name]: item for item in difference["new"]}
        later[field] = sorted(items.values(), key=itemgetter(*order))
    return later
