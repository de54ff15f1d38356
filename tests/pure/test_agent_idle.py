"""Measuring waits for an idle machine."""

import json
from pathlib import Path

import pytest

from alldata.agent import calibrate
from alldata.agent.__main__ import main
from alldata.agent.idle import busy_share, why_busy
from alldata.agent.probe.tree import Tree
from tests.pure import agent_trees


def attempt(runs: Path, state: str) -> None:
    agent_trees.write(runs, {"a1/status.json": json.dumps({"state": state})})


@pytest.mark.parametrize(("state", "reason"), [("running", "1 attempts run here"), ("ended", None)])
def test_a_live_attempt_forbids_measuring(tmp_path: Path, state: str, reason: str | None) -> None:
    attempt(tmp_path, state)
    assert why_busy(tmp_path, Tree(tmp_path)) == reason


def test_a_kernel_that_does_not_count_is_taken_for_idle(tmp_path: Path) -> None:
    assert busy_share(Tree(tmp_path), 0.0) is None


def test_busy_cores_may_be_overlooked_attempts_may_not(tmp_path: Path) -> None:
    attempt(tmp_path, "running")
    assert why_busy(tmp_path, Tree(tmp_path), despite_load=True) == "1 attempts run here"
    attempt(tmp_path, "ended")
    assert why_busy(tmp_path, Tree(Path("/")), despite_load=True) is None


def test_the_command_declines_and_says_why(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    attempt(tmp_path / "runs", "running")
    assert main(["calibrate", "--spool", str(tmp_path), "--runs-dir", str(tmp_path / "runs")]) == calibrate.BUSY
    assert "1 attempts run here" in capsys.readouterr().err
    assert not (tmp_path / calibrate.FILE).exists()
