"""Nothing in a job's report is trusted, and the server is built only from what was checked."""

import json
from pathlib import Path

import pytest

from scheduling.serving.report import ReportInvalid, read_report
from scheduling.serving.triton import model_name, triton_workload

GOOD = {
    "accuracy": 0.98,
    "features": 2,
    "classes": 10,
    "onnx_matches": True,
    "samples": {"rows": [[0, 1.5], [1, 0]], "labels": [3, 4]},
}


def written(folder: Path, content: object) -> Path:
    path = folder / "report.json"
    path.write_text(json.dumps(content))
    return path


def test_a_good_report_is_read(tmp_path: Path) -> None:
    report = read_report(written(tmp_path, GOOD))
    assert (report.accuracy, report.samples.rows[0], report.samples.labels) == (0.98, (0.0, 1.5), (3, 4))


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"accuracy": 1.5}, "accuracy"),
        ({"accuracy": float("nan")}, "accuracy"),
        ({"accuracy": True}, "accuracy"),
        ({"features": 0}, "features"),
        ({"features": 3}, "samples.rows"),
        ({"classes": "10"}, "classes"),
        ({"samples": None}, "samples"),
        ({"samples": {"rows": [], "labels": []}}, "samples"),
        ({"samples": {"rows": [[0, 1]], "labels": [10]}}, "samples.labels"),
        ({"samples": {"rows": [["x", 1]], "labels": [1]}}, "samples.rows"),
    ],
)
def test_the_faulty_field_is_named(tmp_path: Path, change: dict[str, object], field: str) -> None:
    with pytest.raises(ReportInvalid) as caught:
        read_report(written(tmp_path, GOOD | change))
    assert caught.value.field == field


def test_a_missing_report_is_named(tmp_path: Path) -> None:
    with pytest.raises(ReportInvalid):
        read_report(tmp_path / "report.json")


@pytest.mark.parametrize("text", ["OCR train/infer 1.0", "数字", "9lives", "", "x" * 200, '"; rm -rf'])
def test_any_text_makes_a_folder_name(text: str) -> None:
    name = model_name(text)
    assert name.isascii() and name.replace("_", "").isalnum() and len(name) <= 63


def test_the_server_is_told_everything_by_files(tmp_path: Path) -> None:
    workload = triton_workload(name="digits", model_sha256="ab" * 32, report=read_report(written(tmp_path, GOOD)))
    files = {file.name: file for file in workload.files}
    assert files["repository/digits/1/model.onnx"].sha256 == "ab" * 32
    assert "dims: [2]" in str(files["repository/digits/config.pbtxt"].text)
    assert workload.as_entry()["ports"] == ["http", "grpc", "metrics"]
