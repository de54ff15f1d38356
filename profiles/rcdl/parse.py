"""Text -> Document or Supply, with every error and warning located.

`parse` never raises on bad input; `load` does (InvalidDocument). Reading order: tree.py (text
to positions), overlay.py (modes), body.py and supply.py (meaning), lint.py (advice).
"""

import hashlib
import json
import re
from collections.abc import Mapping as MappingOf
from dataclasses import dataclass

from profiles.errors import InvalidDocument
from profiles.rcdl.body import BODY, demand
from profiles.rcdl.document import Demand, Document, Supply
from profiles.rcdl.fields import Fields
from profiles.rcdl.lint import lint_demand, lint_supply
from profiles.rcdl.overlay import overlay
from profiles.rcdl.problems import Findings, Problem
from profiles.rcdl.supply import parts
from profiles.rcdl.tree import Mapping, Plain, Scalar, Sequence, Tree, plain, read

NAME = re.compile(r"[a-z0-9][a-z0-9-]{0,62}")
VERSION = re.compile(r"(0|[1-9][0-9]{0,5})\.(0|[1-9][0-9]{0,5})")
TOP = ("kind", "name", "version", "description", "modes", "alternatives")
TEXT_KEYS = frozenset({"name", "version", "description", "model", "vendor"})
MOST_MODES = 16


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


def load(text: str | bytes) -> Document:
    """The profile in `text`. Errors: InvalidDocument."""
    result = parse(text)
    if isinstance(result.document, Document):
        return result.document
    if result.errors:
        raise InvalidDocument(tuple(problem.as_json() for problem in result.errors))
    message = "this describes hardware (kind: supply), a profile is needed"
    problem = Problem(1, 1, "kind", "contradiction", message, "a profile", "supply")
    raise InvalidDocument((problem.as_json(),))


def parse(text: str | bytes) -> Result:
    """Everything that can be said about a text."""
    findings = Findings()
    tree = read(text, findings)
    fields = Fields.of(tree, "", findings) if tree is not None else None
    if fields is None:
        return _result(None, None, findings)
    kind = _kind(fields)
    document = _supply(fields) if kind == "supply" else _document(fields)
    return _result(kind, document, findings)


def _result(kind: str | None, document: Document | Supply | None, findings: Findings) -> Result:
    errors = tuple(sorted(findings.errors, key=lambda p: (p.line, p.column)))
    warnings = tuple(sorted(findings.warnings, key=lambda p: (p.line, p.column)))
    return Result(kind, None if errors else document, errors, warnings)


def _kind(fields: Fields) -> str:
    """As stated, or supply when every resource has attributes."""
    stated = fields.choice("kind", ("supply", "demand", "profile"), "")
    if stated:
        return "supply" if stated == "supply" else "demand"
    resources = fields.tree.items.get("resources")
    items = resources.items if isinstance(resources, Sequence) else ()
    described = [isinstance(item, Mapping) and "attributes" in item.items for item in items]
    return "supply" if described and all(described) else "demand"


def _supply(fields: Fields) -> Supply:
    canonical, digest = _canonical(fields.tree)
    supply = Supply(parts(fields), canonical, digest)
    lint_supply(supply, fields.findings)
    return supply


def _document(fields: Fields) -> Document:
    fields.only((*TOP, *BODY))
    name, version = fields.text("name"), fields.text("version")
    if not NAME.fullmatch(name):
        fields.error("name", "out_of_range" if name else "missing", "lower-case letters, digits and dashes, at most 63")
    if not VERSION.fullmatch(version):
        fields.error("version", "bad_version" if version else "missing", 'major.minor such as "1.0"')
    canonical, digest = _canonical(fields.tree)
    body = demand(fields)
    lint_demand(body, "", fields.findings)
    modes, rungs = fields.inner("modes"), list(fields.maps("alternatives"))
    if modes and len(modes.tree.items) > MOST_MODES:
        fields.error("modes", "too_large", f"at most {MOST_MODES} modes")
    return Document(
        name=name,
        version=version,
        description=fields.text("description"),
        body=body,
        modes={key: _overlaid(fields, modes.inner(key)) for key in modes.tree.items} if modes else {},
        alternatives=tuple(_overlaid(fields, rung) for rung in rungs),
        canonical=canonical,
        digest=digest,
    )


def _overlaid(base: Fields, over: Fields | None) -> Demand:
    """The body with one overlay on it; an empty mode is the body itself."""
    if over is None:
        return demand(base)
    over.only(BODY)
    return demand(Fields(overlay(base.tree, over.tree), over.path, base.findings))


def _canonical(tree: Tree) -> tuple[str, str]:
    """JSON with sorted keys and its sha256; names and versions stay text."""
    text = json.dumps(_texts_kept(tree), sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return text, hashlib.sha256(text.encode()).hexdigest()


def _texts_kept(tree: Tree) -> Plain:
    if isinstance(tree, Mapping):
        return {
            key: value.text if key in TEXT_KEYS and isinstance(value, Scalar) else _texts_kept(value)
            for key, value in tree.items.items()
        }
    return [_texts_kept(item) for item in tree.items] if isinstance(tree, Sequence) else plain(tree)
