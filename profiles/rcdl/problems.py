"""What is wrong with a document, where exactly, and what would be right?

Codes of errors are stable: unknown_key wrong_type unknown_unit unit_mismatch unit_slip
out_of_range missing duplicate contradiction unknown_capability bad_version syntax encoding
too_large. Warnings use these and engine_limit, not_enforced, unused, disagrees, cannot_coexist.
At most MOST problems of each sort are kept, so a broken file of any size is answered at once.
"""

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from typing import NamedTuple

from profiles.dimensions import closest
from profiles.rcdl.advisor import Advisor

MOST = 100
#: What to do about a problem when nothing nearer is known.
USUAL: Mapping[str, str] = {
    "syntax": "check quotes, brackets, colons and indentation just before this place",
    "encoding": "save the file as UTF-8 text",
    "too_large": "split the document, or take out what repeats",
    "wrong_type": "write {expected}",
    "out_of_range": "write {expected}",
    "missing": "add {expected}",
    "duplicate": "keep one and take the other away",
    "contradiction": "keep what you mean and take the other away",
    "bad_version": "write {expected}, in quotes",
    "unknown_unit": "write the value in {expected}",
    "unit_mismatch": "write the value in {expected}",
}


@dataclass(frozen=True, slots=True)
class Problem:
    """One error or warning. Lines and columns count from 1; `path` reads like resources[0].count."""

    line: int
    column: int
    path: str
    code: str
    message: str
    expected: str = ""
    found: str = ""
    suggestion: str | None = None

    def as_json(self) -> Mapping[str, object]:
        return asdict(self)


class Spot(NamedTuple):
    """A place in the document (a tuple: there is one for every value of a large document)."""

    line: int
    column: int
    path: str = ""

    def at(self, path: str) -> "Spot":
        return Spot(self.line, self.column, path)


@dataclass(slots=True)
class Findings:
    """Collects problems while a document is read; each is kept once."""

    advisor: Advisor | None = None
    errors: list[Problem] = field(default_factory=list)
    warnings: list[Problem] = field(default_factory=list)
    seen: set[tuple[int, int, str, str]] = field(default_factory=set)

    def error(self, spot: Spot, code: str, expected: str, found: object, suggestion: str | None = None) -> None:
        self._keep(self.errors, _problem(spot, code, expected, str(found)[:120], suggestion))

    def warning(self, spot: Spot, code: str, expected: str, found: object, suggestion: str | None = None) -> None:
        self._keep(self.warnings, _problem(spot, code, expected, str(found)[:120], suggestion))

    def unknown(self, spot: Spot, code: str, found: str, known: Iterable[str]) -> None:
        """An unknown word, with the nearest known one."""
        if self.full:
            return
        names = sorted(known)
        near, any_near = closest(found[:100], names), closest(found[:100], names, least=0.0)
        hint = f"did you mean {near}?" if near else f"the nearest known word is {any_near}" if any_near else None
        shown = ", ".join(names[:20]) + (", ..." if len(names) > 20 else "")
        self.error(spot, code, f"one of {shown}", found, hint)

    @property
    def full(self) -> bool:
        """Enough is wrong: no further error would help anybody."""
        return len(self.errors) >= MOST

    @property
    def warned(self) -> bool:
        """Enough is remarked."""
        return len(self.warnings) >= MOST

    def _keep(self, problems: list[Problem], new: Problem) -> None:
        """A part that modes inherit is read once for each: the same fault at the same place counts once."""
        place = (new.line, new.column, new.code, new.message)
        if len(problems) < MOST and place not in self.seen:
            self.seen.add(place)
            problems.append(new)


def _problem(spot: Spot, code: str, expected: str, found: str, suggestion: str | None) -> Problem:
    message = f"found {found}, expected {expected}" if found else f"expected {expected}"
    advice = suggestion or USUAL.get(code, "").format(expected=expected) or None
    return Problem(spot.line, spot.column, spot.path, code, message, expected, found, advice)
