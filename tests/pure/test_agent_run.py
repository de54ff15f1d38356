"""The agent as a process: registers, meters exactly once through kill -9, survives a bad server."""

import json
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from alldata.agent import calibrate
from alldata.agent.clock import wall_ms
from alldata.agent.probe.machine import inspect
from tests.pure.agent_portal import KEY, Portal, portal

KILLS = 10
PATIENCE_S = 20


class Node:
    """A machine with one agent on it and a shim's worth of usage files."""

    def __init__(self, directory: Path, server: Portal) -> None:
        self.directory = directory
        self.portal = server
        self.runs = directory / "runs"
        self.used: dict[str, int] = {}
        self.process: subprocess.Popen[bytes] | None = None
        self.runs.mkdir()
        (directory / "key").write_text(KEY)
        kept = calibrate.Calibration(wall_ms(), inspect("n1").cores, {0: 1_000_000_000})
        calibrate.save(directory, kept)

    def start(self) -> None:
        options = {"server": self.portal.url, "key-file": self.directory / "key", "runs-dir": self.runs}
        options |= {"spool": self.directory, "name": "n1", "window-ms": 200, "sampling-ms": 200}
        words = [word for name, value in options.items() for word in (f"--{name}", str(value))]
        with open(self.directory / "agent.log", "ab") as log:
            self.process = subprocess.Popen([sys.executable, "-m", "alldata.agent", "run", *words], stderr=log)

    def work(self, key: str, amount_us: int) -> None:
        """The attempt `key` uses more, and its shim writes that down."""
        self.used[key] = self.used.get(key, 0) + amount_us
        run = self.runs / key
        run.mkdir(exist_ok=True)
        (run / "usage.new").write_text(json.dumps({"at_ms": wall_ms(), "cpu_us": self.used[key]}))
        (run / "usage.new").replace(run / "usage.json")

    def stop(self, number: signal.Signals) -> int:
        assert self.process is not None
        self.process.send_signal(number)
        return self.process.wait(PATIENCE_S)

    def log(self) -> str:
        return (self.directory / "agent.log").read_text()


@pytest.fixture
def node(tmp_path: Path) -> Iterator[Node]:
    with portal() as server:
        machine = Node(tmp_path, server)
        yield machine
        if machine.process is not None and machine.process.poll() is None:
            machine.stop(signal.SIGKILL)


def eventually(server: Portal, holds: Callable[[], bool]) -> bool:
    """Whether it came true while messages arrived."""
    until = time.monotonic() + PATIENCE_S
    with server.changed:
        while not holds() and time.monotonic() < until:
            server.changed.wait(0.2)
    return holds()


def becomes(holds: Callable[[], bool]) -> bool:
    """Whether it came true while time passed."""
    until = time.monotonic() + PATIENCE_S
    while not holds() and time.monotonic() < until:
        time.sleep(0.05)
    return holds()


def everything_is_counted(node: Node) -> bool:
    counted = {key: q for (key, dimension), q in node.portal.totals().items() if dimension == "cpu_millicores"}
    return counted == node.used


def test_the_agent_registers_this_machine(node: Node) -> None:
    node.start()
    assert eventually(node.portal, lambda: bool(node.portal.registrations))
    facts = node.portal.registrations[0]
    assert facts.cores == len(os.sched_getaffinity(0))
    memory = next(device for device in facts.devices if device.type == "memory")
    assert memory.capacities["memory_bandwidth"].quality == "measured"


def test_killed_at_any_instant_no_usage_is_lost_or_doubled(node: Node) -> None:
    """The server answers slowly, so that kills also fall between its taking a frame and our knowing."""
    chance = random.Random(7)
    node.portal.answer_after_s = 0.05
    for number in range(KILLS):
        node.start()
        until = time.monotonic() + chance.uniform(0.25, 0.8)
        while time.monotonic() < until:
            node.work(f"a{number // 3}", chance.randrange(100_000))
            time.sleep(0.05)
        if number == 0:  # however slow the machine: at least one life has reported before its end
            assert eventually(node.portal, lambda: bool(node.portal.frames))
        node.stop(signal.SIGKILL)
    node.work("last", 1)
    node.start()
    assert eventually(node.portal, lambda: everything_is_counted(node)), (node.used, node.portal.totals())
    assert node.stop(signal.SIGTERM) == 0
    assert everything_is_counted(node)
    assert_windows_never_overlap(node.portal)


def assert_windows_never_overlap(server: Portal) -> None:
    ends: dict[str, int] = {}
    for (_, epoch, _), frame in sorted(server.frames.items()):
        assert frame.start_ms >= ends.get(epoch, 0)
        ends[epoch] = frame.end_ms
    assert len(ends) > 1


def test_a_server_that_was_away_gets_every_window_once(node: Node) -> None:
    node.portal.refuse_with = 503
    node.start()
    for _ in range(20):
        node.work("a", 1000)
        time.sleep(0.05)
    assert becomes(lambda: "HTTP 503" in node.log())
    node.portal.refuse_with = None
    assert eventually(node.portal, lambda: everything_is_counted(node) and len(node.portal.frames) >= 4)


def test_usage_of_an_attempt_that_came_and_went_is_told_at_the_end(node: Node) -> None:
    node.start()
    assert eventually(node.portal, lambda: bool(node.portal.frames))
    node.work("short", 777)
    assert node.stop(signal.SIGTERM) == 0
    assert everything_is_counted(node)


def test_a_server_of_another_version_is_named_and_nothing_is_lost(node: Node) -> None:
    node.portal.refuse_with, node.portal.problem = 400, {"code": "wire_version_refused", "detail": "speak wire 2"}
    node.start()
    node.work("a", 5)
    assert becomes(lambda: "install the agent that belongs to the server" in node.log())
    assert "wire_version_refused: speak wire 2" in node.log()
    node.portal.refuse_with = None
    assert eventually(node.portal, lambda: everything_is_counted(node))


def test_a_second_agent_on_the_spool_is_refused(node: Node) -> None:
    node.start()
    assert eventually(node.portal, lambda: bool(node.portal.registrations))
    first = node.process
    node.start()
    assert node.process is not None
    assert node.process.wait(PATIENCE_S) == 2
    assert "another agent is running on the spool" in node.log()
    node.process = first
