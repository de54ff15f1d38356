"""Text -> Document or Supply, with every error and warning located.

`parse` never raises on bad input; `load` does (InvalidDocument). Reading order: build.py (text
to positions), overlay.py (modes), body.py and supply.py (meaning), lint.py (advice), dump.py
(canonical form and digest).
"""

import re
from collections.abc import Mapping as MappingOf
from dataclasses import dataclass

from profiles.errors import InvalidDocument
from profiles.rcdl.advisor import Advisor
from profiles.rcdl.body import demand
from profiles.rcdl.build import MAX_BYTES, read
from profiles.rcdl.document import Demand, Document, Supply
from profiles.rcdl.dump import sealed
from profiles.rcdl.fields import Fields
from profiles.rcdl.overlay import overlay
from profiles.rcdl.problems import Findings, Problem
from profiles.rcdl.supply import supply
from profiles.rcdl.tables import BODY, KINDS, MOST_MODES, MOST_RUNGS, NAME, TOP, VERSION
from profiles.rcdl.tree import Mapping, Sequence

PROFILE_BYTES = 1_000_000


@dataclass(frozen=True, slots=True)
class Result:
    """What came of a text: `document` is None when there are errors."""

    kind: str | None
    document: Document | Supply | None
    errors: tuple[Problem, ...]
    warnings: tuple[Problem, ...]

    def as_json(self) -> MappingOf[str, object]:
        """`{valid, kind, errors, warnings}`, as `rcdl check --json` prints it."""
        return {
            "valid": not self.errors,
            "kind": self.kind,
            "errors": [problem.as_json() for problem in self.errors],
            "warnings": [problem.as_json() for problem in self.warnings],
        }


def load(text: str | bytes, advisor: Advisor | None = None) -> Document:
    """The profile in `text` (at most PROFILE_BYTES). Errors: InvalidDocument."""
    result = parse(text, advisor, most_bytes=PROFILE_BYTES)
    if isinstance(result.document, Document):
        return result.document
    if result.errors:
        raise InvalidDocument(tuple(problem.as_json() for problem in result.errors))
    message = "this describes hardware (kind: supply), a profile is needed"
    problem = Problem(1, 1, "kind", "contradiction", message, "a profile", "supply")
    raise InvalidDocument((problem.as_json(),))


def parse(text: str | bytes, advisor: Advisor | None = None, *, most_bytes: int = MAX_BYTES) -> Result:
    """Everything that can be said about a text; `advisor` knows hardware (profiles/hkb/advice.py)."""
    findings = Findings(advisor)
    tree = read(text, findings, most_bytes=most_bytes)
    fields = Fields.of(tree, "", findings) if tree is not None else None
    if fields is None:
        return _result(None, None, findings)
    kind = _kind(fields)
    return _result(kind, supply(fields) if kind == "supply" else _document(fields), findings)


def _result(kind: str | None, document: Document | Supply | None, findings: Findings) -> Result:
    errors = tuple(sorted(findings.errors, key=lambda p: (p.line, p.column)))
    warnings = tuple(sorted(findings.warnings, key=lambda p: (p.line, p.column)))
    return Result(kind, None if errors or document is None else sealed(document), errors, warnings)


def _kind(fields: Fields) -> str:
    """As stated, or supply when every resource has attributes."""
    stated = fields.choice("kind", KINDS, "")
    if stated:
        return "supply" if stated == "supply" else "demand"
    resources = fields.tree.items.get("resources")
    items = resources.items if isinstance(resources, Sequence) else ()
    described = [isinstance(item, Mapping) and "attributes" in item.items for item in items]
    return "supply" if described and all(described) else "demand"


def _document(fields: Fields) -> Document:
    fields.only((*TOP, *BODY))
    name, version = fields.text("name"), fields.text("version")
    if not NAME.fullmatch(name):
        near = re.sub(r"[^a-z0-9]+", "-", name.casefold()).strip("-")[:63]
        expected = "lower-case letters, digits and dashes, at most 63"
        fields.error("name", "out_of_range" if name else "missing", expected, f"{near}?" if near else None)
    if not VERSION.fullmatch(version):
        fields.error("version", "bad_version" if version else "missing", 'major.minor such as "1.0"')
    body, modes = demand(fields), fields.inner("modes")
    if modes and len(modes.tree.items) > MOST_MODES:
        fields.error("modes", "too_large", f"at most {MOST_MODES} modes")
        modes = None
    rungs = fields.maps("alternatives", most=MOST_RUNGS)
    return Document(
        name=name,
        version=version,
        description=fields.text("description"),
        body=body,
        modes={key: _overlaid(fields, modes.inner(key)) for key in modes.tree.items} if modes else {},
        alternatives=tuple(_overlaid(fields, rung) for rung in rungs),
    )


def _overlaid(base: Fields, over: Fields | None) -> Demand:
    """The body with one overlay on it; an empty mode is the body itself."""
    if over is None:
        return demand(base)
    over.only(BODY)
    return demand(Fields(overlay(base.tree, over.tree), over.path, base.findings))
