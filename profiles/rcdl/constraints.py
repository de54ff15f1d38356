"""Hard rules on a device: scalar is equality, list is one-of, min_/max_ compare, {regex} matches."""

import re

from profiles.dimensions import BY_NAME, Dimension, Kind, attribute, known_names
from profiles.errors import UnknownCapability
from profiles.rcdl.document import Rule, Value
from profiles.rcdl.problems import Findings, Spot
from profiles.rcdl.tree import Mapping, Scalar, Sequence, Tree
from profiles.rcdl.units import amount

MAX_PATTERN = 200
_NESTED_REPEAT = re.compile(r"\([^)]*[+*{][^)]*\)\s*[+*{]")
_FORMS = ("min", "max", "regex", "one_of", "equals")


def rules(tree: Mapping, kind: str, path: str, findings: Findings) -> tuple[Rule, ...]:
    """All constraints of one resource, sorted by attribute."""
    found: list[Rule] = []
    for key, value in tree.items.items():
        spot = tree.keys.get(key, value.spot).at(f"{path}.{key}")
        known = _attribute(key, kind)
        if known is None:
            prefixed = (f"{p}_{name}" for p in ("min", "max") for name in known_names(kind))
            findings.unknown(spot, "unknown_key", key, (*known_names(kind), *prefixed))
            continue
        form, dimension, scale = known
        if isinstance(value, Mapping):
            found += _forms(value, (dimension, scale), spot, findings)
        else:
            found += _rule(form, (dimension, scale), value, spot, findings)
    return tuple(sorted(found, key=lambda rule: (rule.attribute, rule.op)))


def _attribute(key: str, kind: str) -> tuple[str, Dimension, int] | None:
    """(form, dimension, scale): a min_/max_ prefix is read as such before aliases like max_iops."""
    prefix, _, rest = key.partition("_")
    attempts = [(prefix, rest)] if prefix in ("min", "max") else []
    for form, name in (*attempts, ("equals", key)):
        try:
            return form, *attribute(name, kind)
        except UnknownCapability:
            continue
    return None


def _forms(tree: Mapping, about: tuple[Dimension, int], spot: Spot, findings: Findings) -> list[Rule]:
    """`driver: {min: 510.47.03}`."""
    found: list[Rule] = []
    for form, value in tree.items.items():
        here = tree.keys.get(form, value.spot).at(f"{spot.path}.{form}")
        if form not in _FORMS:
            findings.unknown(here, "unknown_key", form, _FORMS)
        else:
            found += _rule(form, about, value, here, findings)
    return found


def _rule(form: str, about: tuple[Dimension, int], value: Tree, spot: Spot, findings: Findings) -> list[Rule]:
    dimension = about[0]
    if isinstance(value, Sequence):
        options = [_value(item, about, spot, findings) for item in value.items]
        if form in ("equals", "one_of") and options:
            return [Rule(dimension.name, "in", tuple(option for option in options if option is not None))]
        findings.error(spot, "wrong_type", "one value" if options else "at least one value", "a list")
        return []
    if isinstance(value, Mapping):
        findings.error(spot, "wrong_type", "a value", "a map")
        return []
    if form == "regex":
        return _regex(dimension, value, spot, findings)
    if form in ("min", "max"):
        return _limit(form, about, value, spot, findings)
    found = _value(value, about, spot, findings)
    return [] if found is None else [Rule(dimension.name, "eq", found)]


def _limit(form: str, about: tuple[Dimension, int], value: Scalar, spot: Spot, findings: Findings) -> list[Rule]:
    dimension = about[0]
    if dimension.unit == "version":
        if form == "max" or not re.search(r"\d", value.text):
            expected = "a least version such as sm_80 or 510.47.03"
            findings.error(spot, "out_of_range", expected, f"{form} {value.text}")
            return []
        return [Rule(dimension.name, "version_min", value.text)]
    if dimension.kind is Kind.SET and dimension.name != "numa_node":
        findings.error(spot, "contradiction", f"equality or a list for {dimension.name}", form)
        return []
    number = _number(value, about, spot, findings)
    return [] if number is None else [Rule(dimension.name, form, number)]


def _value(tree: Tree, about: tuple[Dimension, int], spot: Spot, findings: Findings) -> Value | None:
    """Text for names and versions, base units for numbers."""
    dimension, _ = about
    if not isinstance(tree, Scalar) or tree.value is None:
        findings.error(spot, "wrong_type", "a value", "nothing" if isinstance(tree, Scalar) else "a list or map")
        return None
    if dimension.name == "numa_node" and isinstance(tree.value, int):
        return tree.value
    if dimension.name == "compute_capability":
        match = re.fullmatch(r"sm_?(\d+)(\d)[a-z]?", tree.text)
        return f"{match.group(1)}.{match.group(2)}" if match else tree.text
    if dimension.kind is Kind.SET or dimension.unit == "version":
        return tree.text
    return _number(tree, about, spot, findings)


def _number(tree: Scalar, about: tuple[Dimension, int], spot: Spot, findings: Findings) -> int | None:
    if BY_NAME[about[0].name].kind is Kind.SET:
        return tree.value if isinstance(tree.value, int) else None
    return amount(tree.text, about[0], about[1], spot, findings)


def _regex(dimension: Dimension, value: Scalar, spot: Spot, findings: Findings) -> list[Rule]:
    """A short pattern without nested repetition, which could take for ever to match."""
    pattern = value.text
    if len(pattern) > MAX_PATTERN or _NESTED_REPEAT.search(pattern):
        findings.error(spot, "out_of_range", f"at most {MAX_PATTERN} characters, no nested repetition", pattern)
        return []
    try:
        re.compile(pattern)
    except re.error as fault:
        findings.error(spot, "syntax", "a regular expression", f"{pattern} ({fault.msg})")
        return []
    return [Rule(dimension.name, "regex", pattern)]
