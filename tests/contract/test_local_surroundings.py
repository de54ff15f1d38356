"""What a real attempt finds around it, what it may leave, and what is measured of it."""

import json
import os
import time
from dataclasses import replace
from pathlib import Path

import pytest

from scheduling.executors.base import FileSource, LaunchRefused, Progress
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


def test_files_are_laid_out_and_artifacts_are_copies(local: Local, tmp_path: Path) -> None:
    artifact = tmp_path / "artifact"
    artifact.write_bytes(b"original")
    files = (FileSource("deep/er/a.txt", text="text"), FileSource("model.bin", path=str(artifact)))
    program = "print(open('deep/er/a.txt').read(), open('model.bin').read()); open('model.bin', 'w').write('changed')"
    local.run("a", program, replace(BLANK, files=files))
    assert local.executor.read_log("a", after=0, limit=99).text == "text original\n"
    assert artifact.read_bytes() == b"original"


@pytest.mark.parametrize("name", ["../x", "/etc/x", "a/../../x", ""])
def test_files_outside_the_working_directory_are_refused(local: Local, name: str) -> None:
    with pytest.raises(LaunchRefused):
        local.launch("a", Play(), replace(BLANK, files=(FileSource(name, text=""),)))


@pytest.mark.parametrize("key", ["../x", "a/b", "", ".hidden", "x" * 65])
def test_keys_that_are_paths_are_refused(local: Local, key: str) -> None:
    with pytest.raises(LaunchRefused):
        local.launch(key, Play())


def test_another_nodes_attempt_is_refused(local: Local) -> None:
    with pytest.raises(LaunchRefused):
        local.launch("a", Play(), replace(BLANK, node="elsewhere"))


def test_outputs_outside_are_not_handed_out(local: Local) -> None:
    local.run("a", "import os; os.symlink('/etc/passwd', 'link'); os.mkdir('d')")
    for name in ("link", "d", "../spec.json", "/etc/passwd", "a\x00b"):
        assert local.executor.output_path("a", name) is None


def test_a_flood_keeps_its_first_and_last_bytes_at_true_offsets(local: Local) -> None:
    program = "import sys\nfor i in range(200_000): sys.stdout.write(f'{i:09d}\\n')"
    local.run("a", program, replace(BLANK, log_limit_bytes=64 * 1024))
    kept = sum(path.stat().st_size for path in (local.runs / "a").glob("log.[0-9]*"))
    assert kept <= 64 * 1024
    assert local.executor.read_log("a", after=0, limit=10).text == "000000000\n"
    last = local.executor.read_log("a", after=-10, limit=10)
    assert (last.text, last.offset, last.total) == ("000199999\n", 1_999_990, 2_000_000)
    gap = local.executor.read_log("a", after=1_000_000, limit=10)
    line, place = divmod(gap.offset, 10)
    assert gap.offset > 1_000_000 and gap.text == f"{line:09d}\n{line + 1:09d}\n"[place : place + 10]
    assert gap.dropped == 2_000_000 - kept


def test_a_character_cut_by_the_limit_is_read_next_time(local: Local) -> None:
    local.run("a", "import sys; sys.stdout.buffer.write('\u6570\u636e'.encode())")
    first = local.executor.read_log("a", after=0, limit=4)
    assert (first.text, first.next_offset) == ("\u6570", 3)
    assert local.executor.read_log("a", after=3, limit=4).text == "\u636e"


def test_progress_is_read_and_nonsense_is_missing(local: Local) -> None:
    said = '{"step": 3, "steps": -1, "epoch": "x", "unit": "img"}'
    progress = local.run("a", f"import os; open(os.environ['ALLDATA_PROGRESS_FILE'], 'w').write({said!r})").progress
    assert progress == Progress(step=3, steps=None, epoch=None, units=None, unit="img")


def test_usage_covers_the_whole_tree_and_never_falls(local: Local) -> None:
    burn = "import os, time\nos.fork()\nwhile time.process_time() < 0.4: pass"
    seen = local.run("a", burn + "\ntime.sleep(0.7)")
    usage = json.loads((local.runs / "a" / "usage.json").read_text())
    assert usage["cpu_us"] >= 750_000
    assert usage["at_ms"] == seen.ended_ms
    assert usage["memory_byte_ms"] > 0 and usage["memory_peak_bytes"] > 1 << 20
    assert all(value is None or value >= 0 for value in usage.values() if not isinstance(value, str))


def test_launch_returns_at_once(local: Local) -> None:
    began = time.perf_counter()
    local.launch("a", Play())
    assert time.perf_counter() - began < 0.03 * 5  # generous: shared machines


def test_forget_removes_what_the_job_locked(local: Local) -> None:
    local.run("a", "import os; os.mkdir('locked'); open('locked/f', 'w'); os.chmod('locked', 0)")
    local.executor.forget("a")
    assert not (local.runs / "a").exists()
