"""YAML 1.2 core or JSON text -> a tree in which every value knows its line.

Built from parser events with stated limits (size, depth, alias expansion), so no document can
exhaust memory or the stack. Scalars keep the text as written: `1.10` is a version where text
is wanted and a number where a number is.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from math import isfinite

import yaml

from profiles.rcdl.problems import Findings, Spot

MAX_BYTES, MAX_DEPTH, MAX_NODES = 256 * 1024, 64, 10_000
_NULL = {"", "~", "null", "Null", "NULL"}
_BOOL = {"true": True, "True": True, "TRUE": True, "false": False, "False": False, "FALSE": False}
_INT = re.compile(r"[-+]?[0-9]{1,40}")
_FLOAT = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]{1,3})?")
_Loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)

Plain = None | bool | int | float | str | list["Plain"] | dict[str, "Plain"]


@dataclass(frozen=True, slots=True)
class Scalar:
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
        if _INT.fullmatch(self.text):
            return int(self.text)
        if _FLOAT.fullmatch(self.text) and isfinite(float(self.text)):
            return float(self.text)
        return self.text


@dataclass(frozen=True, slots=True)
class Sequence:
    """A list."""

    spot: Spot
    items: "tuple[Tree, ...]"


@dataclass(frozen=True, slots=True)
class Mapping:
    """A map with text keys; `keys` says where each key stands."""

    spot: Spot
    items: "dict[str, Tree]"
    keys: dict[str, Spot] = field(default_factory=dict)


Tree = Scalar | Sequence | Mapping


def read(text: str | bytes, findings: Findings) -> Tree | None:
    """The tree of one document; None when it is unreadable (the finding says why)."""
    decoded = _decoded(text, findings)
    if decoded is None:
        return None
    try:
        return _Builder(decoded, findings).build()
    except yaml.MarkedYAMLError as fault:
        mark = fault.problem_mark or fault.context_mark
        spot = Spot(mark.line + 1, mark.column + 1) if mark else Spot(1, 1)
        findings.error(spot, "syntax", "YAML or JSON", fault.problem or "unreadable text")
    except yaml.YAMLError as fault:
        findings.error(Spot(1, 1), "encoding", "printable UTF-8 text", str(fault).splitlines()[0])
    except _TooLarge as limit:
        findings.error(limit.spot, "too_large", limit.expected, "more")
    return None


def _decoded(text: str | bytes, findings: Findings) -> str | None:
    size = len(text) if isinstance(text, bytes) else len(text.encode("utf-8", "surrogatepass"))
    if size > MAX_BYTES:
        findings.error(Spot(1, 1), "too_large", f"at most {MAX_BYTES} bytes", f"{size} bytes")
        return None
    try:
        plain = text.decode("utf-8-sig") if isinstance(text, bytes) else text.removeprefix("\ufeff")
        plain.encode("utf-8")
    except UnicodeError:
        findings.error(Spot(1, 1), "encoding", "UTF-8 text", "other bytes")
        return None
    # JSON may be indented with tabs, YAML may not.
    return plain.replace("\t", " ") if plain.lstrip()[:1] in ("{", "[") else plain


def plain(tree: Tree) -> Plain:
    """The same values without positions."""
    if isinstance(tree, Scalar):
        return tree.value
    if isinstance(tree, Sequence):
        return [plain(item) for item in tree.items]
    return {key: plain(item) for key, item in tree.items.items()}


class _TooLarge(Exception):
    """A stated limit of the language was passed."""

    def __init__(self, spot: Spot, expected: str) -> None:
        super().__init__(spot, expected)
        self.spot, self.expected = spot, expected


class _Builder:
    """Recursive over events, bounded by MAX_DEPTH."""

    def __init__(self, text: str, findings: Findings) -> None:
        self.events: Iterator[yaml.Event] = iter(yaml.parse(text, Loader=_Loader))
        self.findings = findings
        self.anchors: dict[str, tuple[Tree, int]] = {}
        self.nodes = 0

    def build(self) -> Tree | None:
        event = next(self.events)
        while isinstance(event, yaml.StreamStartEvent | yaml.DocumentStartEvent):
            event = next(self.events)
        if isinstance(event, yaml.StreamEndEvent):
            self.findings.error(Spot(1, 1), "missing", "a document", "nothing")
            return None
        tree = self._node(event, 0)
        for event in self.events:
            if isinstance(event, yaml.DocumentStartEvent):
                self.findings.error(_spot(event), "syntax", "one document a file", "a second one")
                break
        return tree

    def _node(self, event: yaml.Event, depth: int) -> Tree:
        spot, before = _spot(event), self.nodes
        self._count(1, spot)
        if depth > MAX_DEPTH:
            raise _TooLarge(spot, f"nesting of at most {MAX_DEPTH}")
        if isinstance(event, yaml.AliasEvent):
            return self._alias(event, spot)
        tree: Tree
        if isinstance(event, yaml.SequenceStartEvent):
            tree = self._sequence(spot, depth)
        elif isinstance(event, yaml.MappingStartEvent):
            tree = self._mapping(spot, depth)
        else:
            assert isinstance(event, yaml.ScalarEvent)
            tree = Scalar(spot, event.value, quoted=bool(event.style))
        if event.anchor:
            self.anchors[event.anchor] = tree, self.nodes - before
        return tree

    def _count(self, nodes: int, spot: Spot) -> None:
        self.nodes += nodes
        if self.nodes > MAX_NODES:
            raise _TooLarge(spot, f"at most {MAX_NODES} values, aliases expanded")

    def _alias(self, event: yaml.AliasEvent, spot: Spot) -> Tree:
        found = self.anchors.get(event.anchor or "")
        if found is None:
            self.findings.error(spot, "syntax", "an anchor defined before", f"*{event.anchor}")
            return Scalar(spot, "")
        self._count(found[1], spot)
        return found[0]

    def _sequence(self, spot: Spot, depth: int) -> Sequence:
        items = []
        while not isinstance(event := next(self.events), yaml.SequenceEndEvent):
            items.append(self._node(event, depth + 1))
        return Sequence(spot, tuple(items))

    def _mapping(self, spot: Spot, depth: int) -> Mapping:
        items: dict[str, Tree] = {}
        keys: dict[str, Spot] = {}
        merged: list[Tree] = []
        while not isinstance(event := next(self.events), yaml.MappingEndEvent):
            key = self._node(event, depth + 1)
            value = self._node(next(self.events), depth + 1)
            if not isinstance(key, Scalar):
                self.findings.error(key.spot, "wrong_type", "a text key", "a list or map as key")
            elif key.text == "<<" and not key.quoted:
                merged += value.items if isinstance(value, Sequence) else (value,)
            elif key.text in items:
                self.findings.error(key.spot.at(key.text), "duplicate", "each key once", key.text)
            else:
                items[key.text], keys[key.text] = value, key.spot
        for other in merged:
            self._merge(other, items, keys)
        return Mapping(spot, items, keys)

    def _merge(self, other: Tree, items: dict[str, Tree], keys: dict[str, Spot]) -> None:
        if not isinstance(other, Mapping):
            self.findings.error(other.spot, "wrong_type", "a map to merge", "something else")
            return
        for name, value in other.items.items():
            if name not in items:
                items[name], keys[name] = value, other.keys.get(name, other.spot)


def _spot(event: yaml.Event) -> Spot:
    mark = event.start_mark
    return Spot(mark.line + 1, mark.column + 1) if mark else Spot(1, 1)
