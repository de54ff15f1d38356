"""What does the language ask of somebody who knows hardware? It names no product itself."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from profiles.dimensions import BY_NAME
from profiles.rcdl.document import Part, Resource


@dataclass(frozen=True, slots=True)
class Advice:
    """What somebody who knows hardware remarks on one key of a resource."""

    key: str
    code: str
    expected: str
    found: str
    suggestion: str | None = None


class Advisor(Protocol):
    """Knows real hardware (profiles/hkb): the language itself names no product."""

    @property
    def ranges(self) -> Mapping[str, tuple[float, float]]:
        """Dimension -> smallest and largest value of any known part, in base units."""

    def of_part(self, part: Part) -> Iterable[Advice]:
        """Remarks on a described part."""

    def of_resource(self, resource: Resource) -> Iterable[Advice]:
        """Remarks on what is asked of one device."""

    def of_parts(self, parts: Sequence[Part]) -> Iterable[tuple[int, Advice]]:
        """Remarks on parts that stand together, with the index of the part they concern."""


class Trusting:
    """For what was judged before it was stored: no value is implausible, nothing is remarked.

    Ranges change with the knowledge base; a document that was published under others must stay readable.
    """

    ranges: Mapping[str, tuple[float, float]] = dict.fromkeys(BY_NAME, (0, 2**63))

    def of_part(self, part: Part) -> Iterable[Advice]:
        return ()

    def of_resource(self, resource: Resource) -> Iterable[Advice]:
        return ()

    def of_parts(self, parts: Sequence[Part]) -> Iterable[tuple[int, Advice]]:
        return ()
