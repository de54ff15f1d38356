"""Read the text of one document into a tree, or say why it cannot be read.

Everything that could run away has a limit of its own: bytes, nesting, values in all, and
values that aliases and merge keys add (a few lines of aliases can stand for billions).
"""

import re
from collections.abc import Iterator
from sys import intern

import yaml

from profiles.rcdl.problems import Findings, Spot
from profiles.rcdl.tree import Mapping, Scalar, Sequence, Tree

MAX_BYTES, MAX_DEPTH = 10_000_000, 64
MAX_VALUES, MAX_EXPANDED = 1_000_000, 10_000
YAML_TAGS = "tag:yaml.org,2002:"
_PAIR = re.compile(r"\\u(d[89ab][0-9a-f]{2})\\u(d[c-f][0-9a-f]{2})", re.IGNORECASE)
_Loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


def read(text: str | bytes, findings: Findings, *, most_bytes: int = MAX_BYTES) -> Tree | None:
    """The tree of one document; None when it is unreadable (the finding says why)."""
    decoded = _decoded(text, findings, most_bytes)
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


def _decoded(text: str | bytes, findings: Findings, most: int) -> str | None:
    size = len(text) if isinstance(text, bytes) else len(text.encode("utf-8", "surrogatepass"))
    if size > most:
        findings.error(Spot(1, 1), "too_large", f"at most {most} bytes", f"{size} bytes")
        return None
    try:
        plain = text.decode("utf-8-sig") if isinstance(text, bytes) else text.removeprefix("\ufeff")
        plain.encode("utf-8")
    except UnicodeError:
        findings.error(Spot(1, 1), "encoding", "UTF-8 text", "other bytes")
        return None
    return _as_yaml(plain) if plain.lstrip()[:1] in ("{", "[") else plain


def _as_yaml(json: str) -> str:
    """JSON may be indented with tabs and write one sign as two escapes; YAML may not."""
    return _PAIR.sub(lambda pair: _joined(pair[1], pair[2]), json.replace("\t", " "))


def _joined(high: str, low: str) -> str:
    return chr(0x10000 + ((int(high, 16) - 0xD800) << 10) + int(low, 16) - 0xDC00)


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
        self.anchors: dict[str, tuple[Tree, int, int]] = {}  # the tree, its values, its height
        self.values = self.expanded = self.deepest = 0

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
        spot, before, around = _spot(event), self.values, self.deepest
        self.values, self.deepest = self.values + 1, depth
        if self.values > MAX_VALUES:
            raise _TooLarge(spot, f"at most {MAX_VALUES} values")
        if depth > MAX_DEPTH:
            raise _TooLarge(spot, f"nesting of at most {MAX_DEPTH}")
        if isinstance(event, yaml.AliasEvent):
            return self._alias(event, spot, depth, around)
        tree: Tree
        if isinstance(event, yaml.SequenceStartEvent):
            tree = self._sequence(spot, depth)
        elif isinstance(event, yaml.MappingStartEvent):
            tree = self._mapping(spot, depth)
        else:
            assert isinstance(event, yaml.ScalarEvent)
            tree = Scalar(spot, event.value, self._is_text(event))
        if isinstance(event, yaml.NodeEvent) and event.anchor:
            self.anchors[event.anchor] = tree, self.values - before, self.deepest - depth
        self.deepest = max(self.deepest, around)
        return tree

    def _is_text(self, event: yaml.ScalarEvent) -> bool:
        """Quoted or tagged as text; `! 5` counts as quoted."""
        if event.tag is None or event.tag == "!":
            return bool(event.style) or event.tag == "!"
        if not event.tag.startswith(YAML_TAGS):
            self.findings.error(_spot(event), "syntax", "no tags of its own", event.tag)
        return str(event.tag) == f"{YAML_TAGS}str"

    def _alias(self, event: yaml.AliasEvent, spot: Spot, depth: int, around: int) -> Tree:
        found = self.anchors.get(event.anchor or "")
        if found is None:
            self.findings.error(spot, "syntax", "an anchor defined before", f"*{event.anchor}")
            return Scalar(spot, "")
        tree, values, height = found
        self.expanded += values
        self.values += values  # an anchor around this alias stands for all of it
        self.deepest = max(around, depth + height)
        if self.expanded > MAX_EXPANDED:
            raise _TooLarge(spot, f"at most {MAX_EXPANDED} values added by aliases")
        if depth + height > MAX_DEPTH:
            raise _TooLarge(spot, f"nesting of at most {MAX_DEPTH}")
        return tree

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
                first = keys[key.text].line
                self.findings.error(
                    key.spot.at(key.text), "duplicate", f"each key once (first on line {first})", key.text
                )
            else:
                name = intern(key.text)
                items[name], keys[name] = value, key.spot
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
