"""YAML 1.2 core or JSON text -> a tree in which every value knows its line.

Built from parser events with stated limits (size, depth, values, alias expansion), so no
document can exhaust memory or the stack. Scalars keep the text as written: `1.10` is a version
where text is wanted and a number where a number is. Tags other than YAML's own are refused;
`!!str 5` is text. The builder itself is in build.py.
"""

import re
from math import isfinite
from typing import NamedTuple

from profiles.rcdl.problems import Spot

_NULL = {"", "~", "null", "Null", "NULL"}
_BOOL = {"true": True, "True": True, "TRUE": True, "false": False, "False": False, "FALSE": False}
_INT = re.compile(r"[-+]?[0-9]{1,40}")
_OTHER_INT = re.compile(r"0o[0-7]{1,40}|0x[0-9a-fA-F]{1,40}")
_FLOAT = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]{1,3})?")

Plain = None | bool | int | float | str | list["Plain"] | dict[str, "Plain"]


class Scalar(NamedTuple):
    """A leaf: the text, and what it means unless it was quoted."""

    spot: Spot
    text: str
    quoted: bool = False

    @property
    def value(self) -> bool | int | float | str | None:
        if self.quoted:
            return self.text
        if self.text in _NULL:
            return None
        if self.text in _BOOL:
            return _BOOL[self.text]
        return _number(self.text)


def _number(text: str) -> int | float | str:
    if _INT.fullmatch(text):
        return int(text)
    if _OTHER_INT.fullmatch(text):
        return int(text, 0)
    if _FLOAT.fullmatch(text) and isfinite(float(text)):
        return float(text)
    return text


class Sequence(NamedTuple):
    """A list."""

    spot: Spot
    items: "tuple[Tree, ...]"


class Mapping(NamedTuple):
    """A map with text keys; `keys` says where each key stands."""

    spot: Spot
    items: "dict[str, Tree]"
    keys: dict[str, Spot]


Tree = Scalar | Sequence | Mapping


def plain(tree: Tree) -> Plain:
    """The same values without positions."""
    if isinstance(tree, Scalar):
        return tree.value
    if isinstance(tree, Sequence):
        return [plain(item) for item in tree.items]
    return {key: plain(item) for key, item in tree.items.items()}
