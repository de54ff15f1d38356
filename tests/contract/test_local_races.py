"""Several processes drive one run directory, and some die half way: still one job, one end."""

import json
import os
import signal
import threading
from dataclasses import replace

import psutil

from scheduling.executors.base import Phase
from scheduling.executors.local import LocalExecutor
from tests.contract.engines import BLANK, LIVE, Local, Play
from tests.contract.looking import running, until


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


def test_a_reused_pid_is_not_taken_for_the_shim(local: Local) -> None:
    local.launch("a", Play(runs_ms=None))
    before = running(local, "a")
    os.kill(before["pid"], signal.SIGKILL)
    local.ended("a")
    forged = before | {"pid": os.getpid()}
    (local.runs / "a" / "status.json").write_text(json.dumps(forged))
    assert local.executor.observe(["a"])["a"].phase is Phase.LOST
    local.executor.stop("a", grace_ms=0)  # must not signal this very process
