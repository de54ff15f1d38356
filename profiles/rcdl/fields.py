"""Take typed values out of a tree; every mismatch becomes a located finding."""

from collections.abc import Collection, Iterator

from profiles.dimensions import DIMENSIONS
from profiles.rcdl.advisor import Advice
from profiles.rcdl.problems import Findings, Spot
from profiles.rcdl.tree import Mapping, Scalar, Sequence, Tree
from profiles.rcdl.units import duration_ms

_NAMES = {Scalar: "a value", Sequence: "a list", Mapping: "a map"}


class Fields:
    """One map of the document: reads its keys by name and refuses unknown ones."""

    def __init__(self, tree: Mapping, path: str, findings: Findings) -> None:
        self.tree, self.path, self.findings = tree, path, findings

    @classmethod
    def of(cls, tree: Tree, path: str, findings: Findings) -> "Fields | None":
        if isinstance(tree, Mapping):
            return cls(tree, path, findings)
        findings.error(tree.spot.at(path), "wrong_type", "a map", _found(tree))
        return None

    def only(self, known: Collection[str]) -> bool:
        """Every other key is an error with the nearest known one; True when there is none."""
        strange = [key for key in self.tree.items if key not in known]
        for key in strange:
            self.findings.unknown(self.spot(key), "unknown_key", key, known)
        return not strange

    def spot(self, key: str) -> Spot:
        path = f"{self.path}.{key}" if self.path else key
        return self.tree.keys.get(key, self.tree.spot).at(path)

    def error(self, key: str, code: str, expected: str, suggestion: str | None = None) -> None:
        found = self.tree.items.get(key)
        self.findings.error(self.spot(key), code, expected, _found(found) if found else "nothing", suggestion)

    def advise(self, advice: Advice) -> None:
        """A remark of somebody who knows hardware, at the key that means the dimension it is about."""
        written = [key for key in self.tree.items if advice.key in meanings(key)]
        spot = self.spot(written[0] if written and advice.key not in self.tree.items else advice.key)
        self.findings.warning(spot, advice.code, advice.expected, advice.found, advice.suggestion)

    def scalar(self, key: str) -> Scalar | None:
        value = self.tree.items.get(key)
        if value is None or (isinstance(value, Scalar) and value.value is None):
            return None
        if not isinstance(value, Scalar):
            self.error(key, "wrong_type", "a value")
            return None
        return value

    def text(self, key: str, default: str = "") -> str:
        value = self.scalar(key)
        return default if value is None else value.text

    def choice(self, key: str, options: Collection[str], default: str) -> str:
        value = self.scalar(key)
        if value is None:
            return default
        if value.text not in options:
            self.findings.unknown(self.spot(key), "out_of_range", value.text, options)
            return default
        return value.text

    def integer(self, key: str, default: int, *, most: int) -> int:
        """A whole number from 1 to `most`."""
        value = self.scalar(key)
        if value is None:
            return default
        if isinstance(value.value, bool) or not isinstance(value.value, int):
            self.error(key, "wrong_type", "a whole number")
        elif 1 <= value.value <= most:
            return value.value
        else:
            self.error(key, "out_of_range", f"1 to {most}")
        return default

    def number(self, key: str, low: float, high: float) -> float | None:
        """A number in (low, high]."""
        value = self.scalar(key)
        if value is None:
            return None
        if isinstance(value.value, bool) or not isinstance(value.value, int | float):
            self.error(key, "wrong_type", "a number")
        elif low < value.value <= high:
            return float(value.value)
        else:
            self.error(key, "out_of_range", f"more than {low:g}, at most {high:g}")
        return None

    def flag(self, key: str) -> bool:
        value = self.scalar(key)
        if value is not None and not isinstance(value.value, bool):
            known = {"yes": "true?", "on": "true?", "no": "false?", "off": "false?"}
            self.error(key, "wrong_type", "true or false", known.get(value.text.casefold()))
        return value is not None and value.value is True

    def duration(self, key: str, default_ms: int, *, most_ms: int) -> int:
        value = self.scalar(key)
        if value is None:
            return default_ms
        found = duration_ms(value.text)
        if found is None:
            hint = f"{value.text}s?" if isinstance(value.value, int) else None
            self.error(key, "wrong_type", "a duration with its unit, such as 500ms, 30s or 5m", hint)
        elif found > most_ms:
            self.error(key, "out_of_range", f"at most {most_ms // 60_000}m")
        return default_ms if found is None else found

    def maps(self, key: str, *, most: int = 10**9) -> "Iterator[Fields]":
        """The maps of a list of at most `most`; nothing more is read once enough is wrong."""
        value = self.tree.items.get(key)
        if value is None or (isinstance(value, Scalar) and value.value is None):
            return
        if not isinstance(value, Sequence):
            self.error(key, "wrong_type", "a list")
            return
        if len(value.items) > most:
            self.error(key, "too_large", f"at most {most} entries")
            return
        path = f"{self.path}.{key}" if self.path else key
        for index, item in enumerate(value.items):
            inner = Fields.of(item, f"{path}[{index}]", self.findings)
            if inner is not None:
                yield inner
            if self.findings.full:
                return

    def inner(self, key: str) -> "Fields | None":
        value = self.tree.items.get(key)
        if value is None or (isinstance(value, Scalar) and value.value is None):
            return None
        return Fields.of(value, f"{self.path}.{key}" if self.path else key, self.findings)


def meanings(key: str) -> Iterator[str]:
    """The dimensions that a key may mean, with or without min_ or max_ before it."""
    for name in (key, key.removeprefix("min_"), key.removeprefix("max_")):
        yield from (d.name for d in DIMENSIONS if name == d.name or name in d.aliases)


def _found(tree: Tree) -> str:
    return tree.text if isinstance(tree, Scalar) else _NAMES[type(tree)]
