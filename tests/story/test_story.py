"""Does the whole story come true with the real engine, Triton and Locust? The demo itself, as its user runs it."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.architecture.source import ROOT
from tests.story.house import clean_environment


@pytest.fixture(scope="module")
def result(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What one run of the demo wrote."""
    place = tmp_path_factory.mktemp("demo")
    command = [sys.executable, "-m", "alldata.embedded", "demo", "--once", "--data", str(place / "data")]
    told = subprocess.run(
        [*command, "--json", str(place / "out.json")],
        cwd=ROOT,
        env=clean_environment(),
        capture_output=True,
        text=True,
        check=False,
        timeout=400,
    )
    keep(told.stdout + told.stderr)
    assert told.returncode == 0, told.stdout[-4000:] + told.stderr[-4000:]
    written: dict[str, Any] = json.loads((place / "out.json").read_text())
    return written


def keep(text: str) -> None:
    """Leave the demo's words among the artifacts of the run."""
    folder = ROOT / "artifacts"
    folder.mkdir(exist_ok=True)
    Path(folder, "demo.txt").write_text(text)


def test_the_model_is_trained_in_time_and_reads_digits(result: dict[str, Any]) -> None:
    assert result["deadline_met"] is True
    assert result["accuracy"] >= 0.95


def test_the_served_model_is_measured_and_judged(result: dict[str, Any]) -> None:
    assert result["verdict"] in {"pass", "fail", "inconclusive"}  # a busy machine may honestly miss the latency
    assert result["errors"] == 0
    assert 0 < result["p50_ms"] <= result["p99_ms"]
    assert result["qps"] > 0


def test_the_parts_of_the_cost_sum_to_the_total(result: dict[str, Any]) -> None:
    cost = result["cost"]
    assert cost["currency"] == "CNY"
    assert sum(cost["parts_nano"].values()) == cost["total_nano"] > 0


def test_memory_stays_within_what_a_laptop_can_give(result: dict[str, Any]) -> None:
    assert result["pss_peak_mb"] < 1500
    assert result["pss_idle_mb"] < 500


def test_nothing_is_left_running(result: dict[str, Any]) -> None:
    assert result["left_running"] == 0
