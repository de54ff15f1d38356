"""What does a real attempt find around it? What it was granted, and nothing of the server."""

import json
import os
from dataclasses import replace
from pathlib import Path

import pytest

from tests.contract.engines import BLANK, Local, Play


def environment_of(local: Local) -> dict[str, str]:
    """The variables a job sees."""
    local.run("env", "import os, json; print(json.dumps(dict(os.environ)))", replace(BLANK, env={"MINE": "{work}"}))
    found: dict[str, str] = json.loads(local.executor.read_log("env", after=0, limit=10_000).text)
    return found


def test_the_servers_secrets_do_not_reach_the_job(local: Local, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("DATABASE_URL", "REDIS_URL", "ALLDATA_SECRET_KEY", "ALLDATA_AGENT_KEY"):
        monkeypatch.setenv(name, "secret")
    found = environment_of(local)
    assert "secret" not in found.values()
    assert found.keys() <= {
        *(
            "PATH",
            "LANG",
            "PYTHONUNBUFFERED",
            "OMP_NUM_THREADS",
            "HOME",
            "TMPDIR",
            "CUDA_VISIBLE_DEVICES",
            "MINE",
            "LC_CTYPE",
        ),
        *("ALLDATA_ATTEMPT", "ALLDATA_CPUS", "ALLDATA_PROGRESS_FILE", "ALLDATA_SHM_PREFIX", "ALLDATA_WORK"),
    }


def test_the_working_directory_is_home_and_fills_the_placeholder(local: Local) -> None:
    found = environment_of(local)
    assert found["HOME"] == found["MINE"] == str(local.runs / "env" / "work")
    assert found["CUDA_VISIBLE_DEVICES"] == ""


def test_the_shim_itself_carries_no_secret(local: Local, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DATABASE_URL", "secret")
    local.launch("a", Play(runs_ms=None))
    local.until("a", lambda seen: seen.started_ms is not None)
    pid = json.loads((local.runs / "a" / "status.json").read_text())["pid"]
    assert b"secret" not in Path(f"/proc/{pid}/environ").read_bytes()


def test_granted_cpus_are_the_only_ones(local: Local) -> None:
    cpu = max(os.sched_getaffinity(0))
    seen = local.run("a", "import os; print(sorted(os.sched_getaffinity(0)))", replace(BLANK, cpus=(cpu,)))
    assert local.executor.read_log("a", after=0, limit=99).text.strip() == f"[{cpu}]"
    assert seen.limits["cpu"] == "affinity"


def test_cpus_that_do_not_exist_are_refused_with_a_reason(local: Local) -> None:
    seen = local.run("a", "", replace(BLANK, cpus=(4000,)))
    assert seen.reason == "spawn_failed" and "4000" in str(seen.detail)


def test_gpus_are_shown_by_uuid(local: Local) -> None:
    program = "import os; print(os.environ['CUDA_VISIBLE_DEVICES'])"
    local.run("a", program, replace(BLANK, gpu_uuids=("GPU-1", "GPU-2")))
    assert local.executor.read_log("a", after=0, limit=99).text == "GPU-1,GPU-2\n"
