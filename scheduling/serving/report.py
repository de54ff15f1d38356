"""What does a training job say about the model it leaves?

The report is written by a job, so nothing in it is trusted: every field is checked here, once.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from alldata.kernel.errors import Invalid

LARGEST_REPORT_BYTES = 4 * 1024 * 1024
MOST_SAMPLES = 256
MOST_FEATURES = 65_536


class ReportInvalid(Invalid):
    """The report of a training job cannot be used to serve its model."""

    code = "report_invalid"

    def __init__(self, field: str, why: str) -> None:
        super().__init__(field, why)
        self.field = field
        self.why = why

    def __str__(self) -> str:
        return f"report.json: {self.field}: {self.why}"


@dataclass(frozen=True, slots=True)
class Samples:
    """Inputs with the labels that a right answer must have."""

    rows: tuple[tuple[float, ...], ...]
    labels: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class ModelReport:
    """A classifier over rows of numbers, how good it is, and samples to know it again by."""

    accuracy: float
    features: int
    classes: int
    onnx_matches: bool
    samples: Samples


def read_report(path: Path) -> ModelReport:
    """Errors: ReportInvalid, naming the field."""
    try:
        with path.open("rb") as file:
            text = file.read(LARGEST_REPORT_BYTES + 1)
        content = json.loads(text) if len(text) <= LARGEST_REPORT_BYTES else None
    except (OSError, ValueError, RecursionError) as fault:
        raise ReportInvalid("file", str(fault)) from fault
    if not isinstance(content, dict):
        raise ReportInvalid("file", "it is not a JSON object of at most 4 MiB")
    classes = _count(content, "classes", most=10_000)
    features = _count(content, "features", most=MOST_FEATURES)
    accuracy = _number(content.get("accuracy"), "accuracy")
    if not 0 <= accuracy <= 1:
        raise ReportInvalid("accuracy", "it must be between 0 and 1")
    return ModelReport(
        accuracy=accuracy,
        features=features,
        classes=classes,
        onnx_matches=content.get("onnx_matches") is True,
        samples=_samples(content.get("samples"), features=features, classes=classes),
    )


def _samples(found: object, *, features: int, classes: int) -> Samples:
    if not isinstance(found, dict):
        raise ReportInvalid("samples", "rows and labels are needed to know a right answer")
    rows, labels = _list(found.get("rows"), "samples.rows"), _list(found.get("labels"), "samples.labels")
    if not 1 <= len(rows) == len(labels) <= MOST_SAMPLES:
        raise ReportInvalid("samples", f"as many labels as rows, 1 to {MOST_SAMPLES}")
    numbers = tuple(tuple(_number(x, "samples.rows") for x in _list(row, "samples.rows")) for row in rows)
    if any(len(row) != features for row in numbers):
        raise ReportInvalid("samples.rows", f"each row needs {features} numbers")
    if any(type(label) is not int or not 0 <= label < classes for label in labels):
        raise ReportInvalid("samples.labels", f"each label is a whole number below {classes}")
    return Samples(numbers, tuple(int(str(label)) for label in labels))


def _list(found: object, field: str) -> Sequence[object]:
    if not isinstance(found, list):
        raise ReportInvalid(field, "a list is expected")
    return found


def _number(found: object, field: str) -> float:
    if isinstance(found, bool) or not isinstance(found, int | float) or not abs(found) < 1e30:
        raise ReportInvalid(field, "a finite number is expected")
    return float(found)


def _count(content: dict[str, object], field: str, *, most: int) -> int:
    found = content.get(field)
    if type(found) is not int or not 1 <= found <= most:
        raise ReportInvalid(field, f"a whole number from 1 to {most} is expected")
    return found
