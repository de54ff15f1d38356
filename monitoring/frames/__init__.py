"""How is a frame's content kept? The one place that packs and unpacks it.

columns.py has the shapes, packing.py the bytes, reading.py the way from the wire.
"""

from monitoring.frames.columns import ABSENT, Columns, Numbers, Part, StoredFrame, span_of
from monitoring.frames.packing import (
    FORMAT,
    QUALITIES,
    SOURCES,
    UnknownFormat,
    pack,
    pack_columns,
    unpack,
    unpack_attempts,
    unpack_columns,
)

__all__ = [
    "ABSENT",
    "FORMAT",
    "QUALITIES",
    "SOURCES",
    "Columns",
    "Numbers",
    "Part",
    "StoredFrame",
    "UnknownFormat",
    "pack",
    "pack_columns",
    "span_of",
    "unpack",
    "unpack_attempts",
    "unpack_columns",
]
