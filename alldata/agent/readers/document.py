"""How is a saved text opened, whatever terminal or editor it went through?

Colour codes, a byte order mark, UTF-16 and Windows line ends are taken away; nothing else is changed. XML is parsed
piece by piece, so that a cut file still gives the part before the cut. Entities are refused: no file we read needs any.
"""

import json
import re
from dataclasses import dataclass
from typing import Any
from xml.etree.ElementTree import Element, ParseError, XMLPullParser

from alldata.agent.readers.records import Complaint

MAX_BYTES = 64 << 20
_ANSI = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")


@dataclass(frozen=True, slots=True)
class Document:
    """A named text."""

    name: str
    text: str

    @classmethod
    def of(cls, name: str, raw: bytes) -> "Document":
        """Errors: none; bytes that are not text become replacement characters."""
        wide = raw[:2] in (b"\xff\xfe", b"\xfe\xff")
        text = raw.decode("utf-16" if wide else "utf-8-sig", errors="replace")
        return cls(name, _ANSI.sub("", text.replace("\r\n", "\n").replace("\r", "\n")))

    @property
    def lines(self) -> list[str]:
        return self.text.split("\n")

    def complaint(self, line: int, cause: str) -> Complaint:
        return Complaint(self.name, line, cause)


def json_of(document: Document) -> tuple[Any, Complaint | None]:
    """The JSON value, or None and why not."""
    try:
        return json.loads(document.text), None
    except json.JSONDecodeError as fault:
        return None, document.complaint(fault.lineno, f"not JSON here: {fault.msg}")
    except RecursionError:
        return None, document.complaint(1, "JSON nested too deeply")


def xml_of(document: Document) -> tuple[Element | None, tuple[Complaint, ...]]:
    """The root element with everything before the first fault, and that fault."""
    if "<!ENTITY" in document.text:
        return None, (document.complaint(1, "XML entities are not read"),)
    parser: XMLPullParser[Any] = XMLPullParser(("start",))
    root: Element | None = None
    try:
        parser.feed(document.text)
        events: Any = parser.read_events()  # pairs of an event's name and its element
        for _name, element in events:
            root = element if root is None else root
        parser.close()
    except ParseError as fault:
        return root, (document.complaint(fault.position[0], f"the XML breaks off or is damaged here: {fault}"),)
    return root, ()
