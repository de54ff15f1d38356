"""What is a known part: its names, and its facts with source, date and grade?"""

from collections.abc import Mapping
from dataclasses import dataclass, field

#: grade of a fact -> (source, quality) as shown beside the number
GRADES: Mapping[str, tuple[str, str]] = {
    "published": ("published", "proxy"),
    "derived": ("published", "estimated"),
    "recalled": ("estimated", "estimated"),
    "class": ("estimated", "estimated"),
    "unknown": ("published", "missing"),
    "overridden": ("overridden", "proxy"),
}


@dataclass(frozen=True, slots=True)
class Fact:
    """One value: an integer amount for additive dimensions, else as written; None where nobody could tell."""

    value: int | float | str | None
    grade: str
    origin: str
    checked: str = ""
    how: str = ""
    unit: str = ""  # of what is no dimension; a dimension's value is in its base unit

    @property
    def source(self) -> str:
        return GRADES[self.grade][0]

    @property
    def quality(self) -> str:
        return GRADES[self.grade][1]

    @property
    def number(self) -> float | None:
        """The value where it can be reckoned with."""
        return self.value if isinstance(self.value, int | float) else None


@dataclass(frozen=True, slots=True)
class Part:
    """A product. `facts` are by dimension; `details` are known but compare with nothing (texts, limits of software)."""

    type: str
    vendor: str
    model: str
    names: tuple[str, ...] = ()
    facts: Mapping[str, Fact] = field(default_factory=dict)
    pci_ids: tuple[str, ...] = ()
    details: Mapping[str, Fact] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    def number(self, name: str) -> float | None:
        """A fact as a number; None where it is not known."""
        fact = self.facts.get(name)
        return fact.number if fact else None

    def detail(self, name: str) -> str:
        """A detail as text, "" where it is not known."""
        fact = self.details.get(name)
        return "" if fact is None or fact.value is None else str(fact.value)
