"""Rows as CSV that a spreadsheet opens without running anything (RFC 4180, optional UTF-8 BOM)."""

import csv
import io
from collections.abc import Iterable, Sequence

#: A cell that begins like this would be run as a formula.
FORMULA = ("=", "+", "-", "@", "\t", "\r")
BOM = "\ufeff"


def safe(cell: object) -> str:
    """The cell as text; None is empty, numbers stay numbers, a would-be formula becomes text."""
    text = "" if cell is None else str(cell)
    if isinstance(cell, str) and text.startswith(FORMULA):
        return f"'{text}"
    return text


def csv_text(header: Sequence[str], rows: Iterable[Sequence[object]], *, bom: bool = False) -> str:
    """The whole document."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\r\n")
    writer.writerow(header)
    writer.writerows([safe(cell) for cell in row] for row in rows)
    return (BOM if bom else "") + out.getvalue()
