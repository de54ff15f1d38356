"""However a real attempt ends, nothing of it stays: no process, no cgroup, no shared memory."""

import os
import signal
from dataclasses import replace
from pathlib import Path

from scheduling.executors.base import Phase
from tests.contract.engines import BLANK, Local, Play
from tests.contract.looking import cgroups, marked, running, status, until

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
