"""However a real attempt ends, nothing of it stays: no process, no cgroup, no shared memory."""

import json
import os
import signal
import threading
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import psutil

from scheduling.executors.base import Phase
from scheduling.executors.local import LocalExecutor
from tests.contract.engines import BLANK, LIVE, Local, Play

GRANDCHILDREN = """
import os, sys, time
for _ in range(8):
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            open(f"pid.{os.getpid()}", "w").close()
            time.sleep(3600)
        os._exit(0)
while len([n for n in os.listdir(".") if n.startswith("pid.")]) < 8:
    time.sleep(0.01)
"""


def status(engine: Local, key: str) -> dict[str, int]:
    """What the shim said last."""
    found: dict[str, int] = json.loads((engine.runs / key / "status.json").read_text())
    return found


def running(engine: Local, key: str) -> dict[str, int]:
    engine.until(key, lambda seen: seen.phase is Phase.RUNNING)
    return status(engine, key)


def marked(key: str) -> list[int]:
    """Live processes that inherited the attempt's name."""
    found = []
    for process in psutil.process_iter():
        try:
            if process.environ().get("ALLDATA_ATTEMPT") == key:
                found.append(process.pid)
        except psutil.Error:
            continue
    return found


def cgroups(key: str) -> list[Path]:
    return list(Path("/sys/fs/cgroup").glob(f"**/alldata-{key}"))


def until(condition: Callable[[], bool]) -> None:
    give_up = time.monotonic() + 10
    while not condition() and time.monotonic() < give_up:
        time.sleep(0.01)
    assert condition()


def test_grandchildren_that_hid_are_killed(local: Local) -> None:
    seen = local.run("hide", GRANDCHILDREN)
    assert seen.exit_code == 0
    assert marked("hide") == [] and cgroups("hide") == []


def test_a_killed_job_reports_the_signal(local: Local) -> None:
    local.launch("a", Play(runs_ms=None))
    os.kill(running(local, "a")["child_pid"], signal.SIGKILL)
    seen = local.ended("a")
    assert (seen.phase, seen.signal, seen.exit_code, seen.reason) == (Phase.ENDED, 9, None, None)


def test_a_killed_shim_takes_the_job_along_and_is_reported_lost(local: Local) -> None:
    local.launch("lost", Play(), replace(BLANK, command=("python", "-c", GRANDCHILDREN + "time.sleep(3600)")))
    running(local, "lost")
    until(lambda: len(marked("lost")) == 9)
    os.kill(status(local, "lost")["pid"], signal.SIGKILL)
    seen = local.ended("lost")
    assert seen.phase is Phase.LOST and seen.ended_ms is not None
    until(lambda: marked("lost") == [] and cgroups("lost") == [])


def test_a_reused_pid_is_not_taken_for_the_shim(local: Local) -> None:
    local.launch("a", Play(runs_ms=None))
    before = running(local, "a")
    os.kill(before["pid"], signal.SIGKILL)
    local.ended("a")
    forged = before | {"pid": os.getpid()}
    (local.runs / "a" / "status.json").write_text(json.dumps(forged))
    assert local.executor.observe(["a"])["a"].phase is Phase.LOST
    local.executor.stop("a", grace_ms=0)  # must not signal this very process


def test_a_job_deaf_to_the_request_is_killed_after_the_grace(local: Local) -> None:
    program = "import signal, time; signal.signal(15, signal.SIG_IGN); print('deaf', flush=True); time.sleep(3600)"
    local.launch("a", Play(), replace(BLANK, command=("python", "-c", program)))
    until(lambda: "deaf" in local.executor.read_log("a", after=0, limit=9).text)
    local.executor.stop("a", grace_ms=200)
    seen = local.ended("a")
    assert (seen.reason, seen.signal) == ("stopped", 9)


def test_a_shim_told_to_end_by_the_machine_says_engine_shutdown(local: Local) -> None:
    local.launch("a", Play(runs_ms=None))
    os.kill(running(local, "a")["pid"], signal.SIGTERM)
    assert local.ended("a").reason == "engine_shutdown"


def test_too_much_memory_is_named(local: Local) -> None:
    seen = local.run("oom", "x = bytearray(300 << 20)", replace(BLANK, memory_limit_bytes=64 << 20))
    if seen.limits["memory"].startswith("cgroup"):
        assert (seen.reason, seen.signal) == ("out_of_memory", 9)
    else:
        assert seen.exit_code == 1  # MemoryError: RLIMIT_DATA refused


def test_what_cannot_start_says_why(local: Local) -> None:
    local.launch("a", Play(), replace(BLANK, command=("no-such-program",)))
    seen = local.ended("a")
    assert (seen.phase, seen.reason) == (Phase.ENDED, "spawn_failed") and "no-such-program" in str(seen.detail)


def test_shared_memory_of_a_killed_job_is_removed(local: Local) -> None:
    program = "import os; open('/dev/shm/' + os.environ['ALLDATA_SHM_PREFIX'] + 'x', 'w'); os.kill(os.getpid(), 9)"
    assert local.run("shmtest", program).signal == 9
    assert not list(Path("/dev/shm").glob("alldata_shmtest_*"))


def test_racing_launchers_start_one_job(local: Local) -> None:
    others = [LocalExecutor(runs_dir=local.runs, node="n1", python="python3") for _ in range(8)]
    program = "open('started', 'a').write('x'); print('once')"
    spec = replace(BLANK, command=("python3", "-c", program))
    threads = [threading.Thread(target=other.launch, args=("a", spec)) for other in others]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert local.ended("a").exit_code == 0
    assert (local.runs / "a" / "work" / "started").read_text() == "x"


def test_a_launcher_that_died_half_way_is_completed_by_the_next(local: Local) -> None:
    local.launch("a", Play())
    local.ended("a")
    (local.runs / "b").mkdir()
    spec = json.loads((local.runs / "a" / "spec.json").read_text()) | {"key": "b"}
    (local.runs / "b" / "spec.json").write_text(json.dumps(spec))
    assert local.executor.observe(["b"])["b"].phase is Phase.STARTING
    local.launch("b", Play(exits=9))
    assert local.ended("b").exit_code == 0


def test_another_process_sees_and_stops_the_attempt(local: Local) -> None:
    local.launch("a", Play(runs_ms=None))
    running(local, "a")
    Local(local.runs).executor.stop("a", grace_ms=1000)
    assert Local(local.runs).ended("a").reason == "stopped"


def test_shims_do_not_stay_zombies(local: Local) -> None:
    local.launch("a", Play())
    pid = running(local, "a")["pid"]
    local.ended("a")
    until(lambda: bool(local.executor.observe(["a"])) and not psutil.pid_exists(pid))


def test_stop_before_the_first_instruction_prevents_it(local: Local) -> None:
    (local.runs / "a").mkdir(parents=True)
    (local.runs / "a" / "stop.json").write_text('{"grace_ms": 0, "reason": "stopped"}')
    local.launch("a", Play(says="ran"))
    seen = local.ended("a")
    assert seen.phase not in LIVE and seen.reason == "stopped"
    assert local.executor.read_log("a", after=0, limit=10).text == ""
