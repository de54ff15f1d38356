"""Read a text as if it had been saved to a file."""

from alldata.agent.readers.document import Document
from alldata.agent.readers.records import Host, Reading
from alldata.agent.readers.registry import read_document


def reading(text: str) -> Reading:
    return read_document(Document.of("saved", text.encode()))


def host(text: str) -> Host:
    (found,) = reading(text).hosts
    return found
