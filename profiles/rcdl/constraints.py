"""Hard rules on a device: scalar is equality, list is one-of, min_/max_ compare, {regex} matches."""

import re
from collections import defaultdict

from profiles.dimensions import Dimension, Kind, attribute
from profiles.errors import UnknownCapability
from profiles.rcdl.document import Rule, Value
from profiles.rcdl.problems import Findings, Spot
from profiles.rcdl.tables import FORMS, constraint_names
from profiles.rcdl.tree import Mapping, Scalar, Sequence, Tree
from profiles.rcdl.units import quantity

MAX_PATTERN, MAX_REPEATS = 200, 3
COMPUTE = re.compile(r"sm_?(\d+)(\d)[a-z]?")
_LITERAL = re.compile(r"\\.|\[[^\]]*\]")
_REPEAT, _REPEATED_GROUP = re.compile(r"[*+{]"), re.compile(r"\)\s*[*+{]")
_OPS = {"one_of": "in", "equals": "eq"}

Placed = tuple[Rule, Spot]


def rules(tree: Mapping, kind: str, path: str, findings: Findings) -> list[Placed]:
    """All constraints of one resource with their places, as written."""
    found: list[Placed] = []
    for key, value in tree.items.items():
        spot = tree.keys.get(key, value.spot).at(f"{path}.{key}")
        known = slot(key, kind)
        if known is None:
            findings.unknown(spot, "unknown_key", key, constraint_names(kind))
            continue
        form, dimension, scale = known
        if isinstance(value, Mapping):
            found += _forms(value, (dimension, scale), spot, findings)
        else:
            found += _rule(form, (dimension, scale), value, spot, findings)
    return found


def slot(key: str, kind: str) -> tuple[str, Dimension, int] | None:
    """(form, dimension, scale): a min_/max_ prefix is read as such before aliases like max_iops."""
    prefix, _, rest = key.partition("_")
    attempts = [(prefix, rest)] if prefix in ("min", "max") else []
    for form, name in (*attempts, ("equals", key)):
        try:
            return form, *attribute(name, kind)
        except UnknownCapability:
            continue
    return None


def settled(found: list[Placed], findings: Findings) -> tuple[Rule, ...]:
    """Sorted rules, each (attribute, op) once, none against another."""
    kept: dict[tuple[str, str], Placed] = {}
    for rule, spot in found:
        place = (rule.attribute, rule.op)
        if place in kept:
            expected = f"{rule.attribute} {rule.op} once (also on line {kept[place][1].line})"
            findings.error(spot, "duplicate", expected, rule.value)
        else:
            kept[place] = rule, spot
    by_attribute: defaultdict[str, dict[str, Placed]] = defaultdict(dict)
    for (attribute_name, op), placed in kept.items():
        by_attribute[attribute_name][op] = placed
    for ops in by_attribute.values():
        _agree(ops, findings)
    return tuple(sorted((rule for rule, _ in kept.values()), key=lambda rule: (rule.attribute, rule.op)))


def _agree(ops: dict[str, Placed], findings: Findings) -> None:
    """No device could have both: min above max, or equality outside the limits."""
    low, high = (_bound(ops, op) for op in ("min", "max"))
    if low is not None and high is not None and low > high:
        rule, spot = ops["max"]
        findings.error(spot, "contradiction", f"a {rule.attribute} of at least the minimum {low}", rule.value)
    if "eq" not in ops:
        return
    rule, spot = ops["eq"]
    exact = rule.value
    below = low is not None and isinstance(exact, int | float) and exact < low
    above = high is not None and isinstance(exact, int | float) and exact > high
    if below or above:
        findings.error(spot, "contradiction", f"{rule.attribute} within its own limits", exact)
    if "in" in ops and exact not in _options(ops["in"][0]):
        findings.error(spot, "contradiction", "one of the values listed as well", exact)


def _bound(ops: dict[str, Placed], op: str) -> float | None:
    value = ops[op][0].value if op in ops else None
    return value if isinstance(value, int | float) else None


def _options(rule: Rule) -> tuple[Value, ...]:
    return rule.value if isinstance(rule.value, tuple) else (rule.value,)


def _forms(tree: Mapping, about: tuple[Dimension, int], spot: Spot, findings: Findings) -> list[Placed]:
    """`driver: {min: 510.47.03}`."""
    found: list[Placed] = []
    for form, value in tree.items.items():
        here = tree.keys.get(form, value.spot).at(f"{spot.path}.{form}")
        if form not in FORMS:
            findings.unknown(here, "unknown_key", form, FORMS)
        else:
            found += _rule(form, about, value, here, findings)
    return found


def _rule(form: str, about: tuple[Dimension, int], value: Tree, spot: Spot, findings: Findings) -> list[Placed]:
    dimension = about[0]
    if isinstance(value, Mapping):
        findings.error(spot, "wrong_type", "a value", "a map")
        return []
    if isinstance(value, Sequence):
        return _list(form, about, value, spot, findings)
    if form == "regex":
        return _regex(dimension, value, spot, findings)
    if form in ("min", "max"):
        return _limit(form, about, value, spot, findings)
    found = _value(value, about, spot, findings)
    if found is None:
        return []
    return [(Rule(dimension.name, _OPS[form], (found,) if form == "one_of" else found), spot)]


def _list(form: str, about: tuple[Dimension, int], value: Sequence, spot: Spot, findings: Findings) -> list[Placed]:
    options = [_value(item, about, spot, findings) for item in value.items]
    if form not in ("equals", "one_of") or not options:
        findings.error(spot, "wrong_type", "one value" if options else "at least one value", "a list")
        return []
    known = (option for option in options if option is not None)
    return [(Rule(about[0].name, "in", tuple(dict.fromkeys(known))), spot)]


def _limit(form: str, about: tuple[Dimension, int], value: Scalar, spot: Spot, findings: Findings) -> list[Placed]:
    dimension = about[0]
    if dimension.unit == "version":
        if form == "max" or not re.search(r"\d", value.text):
            expected = "a least version such as sm_80 or 510.47.03"
            findings.error(spot, "out_of_range", expected, f"{form} {value.text}")
            return []
        return [(Rule(dimension.name, "version_min", version_text(value.text)), spot)]
    if dimension.kind is Kind.SET and dimension.name != "numa_node":
        findings.error(spot, "contradiction", f"equality or a list for {dimension.name}", form)
        return []
    number = _number(value, about, spot, findings)
    return [] if number is None else [(Rule(dimension.name, form, number), spot)]


def _value(tree: Tree, about: tuple[Dimension, int], spot: Spot, findings: Findings) -> Value | None:
    """Text for names and versions, base units for numbers."""
    dimension, _ = about
    if not isinstance(tree, Scalar) or tree.value is None:
        findings.error(spot, "wrong_type", "a value", "nothing" if isinstance(tree, Scalar) else "a list or map")
        return None
    if dimension.name == "numa_node":
        return _number(tree, about, spot, findings)
    if dimension.unit == "version":
        return version_text(tree.text)
    if dimension.kind is Kind.SET:
        return tree.text
    return _number(tree, about, spot, findings)


def version_text(text: str) -> str:
    """`sm_80` is compute capability 8.0; other versions are kept as written."""
    match = COMPUTE.fullmatch(text)
    return f"{match.group(1)}.{match.group(2)}" if match else text


def _number(tree: Scalar, about: tuple[Dimension, int], spot: Spot, findings: Findings) -> int | float | None:
    if about[0].kind is not Kind.SET:
        return quantity(tree.text, about[0], about[1], spot, findings)
    if isinstance(tree.value, int) and not isinstance(tree.value, bool) and 0 <= tree.value < 2**16:
        return tree.value
    findings.error(spot, "wrong_type", f"the number of a {about[0].title}", tree.text)
    return None


def _regex(dimension: Dimension, value: Scalar, spot: Spot, findings: Findings) -> list[Placed]:
    """A short pattern that no name can keep busy: no repeated group, few repetitions."""
    pattern = value.text
    bare = _LITERAL.sub("x", pattern[: MAX_PATTERN + 1])
    if dimension.kind is not Kind.SET or dimension.name == "numa_node":
        findings.error(spot, "contradiction", "a pattern for text such as a model", dimension.name)
        return []
    if len(pattern) > MAX_PATTERN or _REPEATED_GROUP.search(bare) or len(_REPEAT.findall(bare)) > MAX_REPEATS:
        expected = f"at most {MAX_PATTERN} characters and {MAX_REPEATS} repetitions, no repeated group"
        findings.error(spot, "out_of_range", expected, pattern)
        return []
    try:
        re.compile(pattern)
    except (re.error, OverflowError) as fault:
        findings.error(spot, "syntax", "a regular expression", f"{pattern} ({fault})")
        return []
    return [(Rule(dimension.name, "regex", pattern), spot)]
