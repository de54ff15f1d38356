"""The life of one attempt: lay out, start, watch, end, leave nothing behind.

How it can be told to end: `stop.json` {grace_ms, reason} appears in the run directory, with a
SIGTERM to make it immediate; a SIGTERM without that file is the machine's or the supervisor's
shutdown. Only the main process is asked (SIGTERM), as PID 1 of a container would be; whatever
is left when it has ended, or when the grace is over, is killed.
"""

import fcntl
import os
import select
import signal
import sys
import time

from alldata.agent.shim import child, linux
from alldata.agent.shim.cgroups import Unconfined
from alldata.agent.shim.confine import confine
from alldata.agent.shim.files import Json, read_json, write_json
from alldata.agent.shim.leftovers import kill_descendants, remove_shared_memory
from alldata.agent.shim.logs import LogSegments
from alldata.agent.shim.meter import Meter

FIRST_TICK_MS, TICK_MS = 50, 500  # short jobs are looked at more closely
KILL_GRACE_MS = 5_000
READ_BYTES = 256 * 1024
PIPE_BYTES = 1024 * 1024


def monotonic_ms() -> int:
    return time.monotonic_ns() // 1_000_000


def wall_ms() -> int:
    return time.time_ns() // 1_000_000


class Attempt:
    """One job process, its log, its meter and its end."""

    def __init__(self, run: str, spec: Json) -> None:
        self.run, self.spec = run, spec
        self.reason: str | None = None
        self.detail: str | None = None
        self.kill_at: int | None = None
        self.pid: int | None = None
        self.wait_status: int | None = None
        self.group = Unconfined()
        self.limits: dict[str, str] = {}
        self.ports: dict[str, int] = {}
        self.started_ms, self.started_at = wall_ms(), monotonic_ms()
        self.ended_ms: int | None = None
        self.oom_kills = 0
        self.log = LogSegments(
            run,
            segment_bytes=_integer(spec["log_segment_bytes"]) or 1,
            limit_bytes=_integer(spec["log_limit_bytes"]) or 1,
        )

    # -- start ----------------------------------------------------------------------------

    def begin(self) -> int | None:
        """Start the job; returns the pipe to read its output from, or None when it cannot start."""
        output: int | None = None
        try:
            around = child.Surroundings(self.run, self.spec)
            around.lay_files()
            self.ports = around.ports
            self.limits = child.pin(self.spec)
            read_end, output = os.pipe()
            self._confine()
            data_limit = self._memory_limit if self.limits["memory"] == "rlimit" else None
            self.pid = child.start(around, self.group, output=output, data_limit=data_limit)
        except (child.SpawnError, OSError) as refusal:
            self.reason, self.detail = "spawn_failed", str(refusal)
            return None
        finally:
            if output is not None:
                os.close(output)
        self.started_ms, self.started_at = wall_ms(), monotonic_ms()
        os.set_blocking(read_end, False)
        return read_end

    def _confine(self) -> None:
        limit = self._memory_limit
        self.group = confine(str(self.spec["key"]), limit)
        confined = self.group.name if self.group.directories else "rlimit"
        self.limits["memory"] = "none" if limit is None else confined

    @property
    def _memory_limit(self) -> int | None:
        return _integer(self.spec["memory_limit_bytes"])

    # -- watch ----------------------------------------------------------------------------

    def watch(self, output: int, wakeup: int) -> None:
        """Pump the log, take samples and obey orders until the main process has ended."""
        self.meter = Meter(os.path.join(self.run, "usage.json"), self.group)
        timeout_ms = _integer(self.spec["timeout_ms"])
        self.timeout_at = None if timeout_ms is None else self.started_at + timeout_ms
        poll = select.poll()
        poll.register(output, select.POLLIN)
        poll.register(wakeup, select.POLLIN)
        tick_at, pause_ms = monotonic_ms(), FIRST_TICK_MS
        self._reap()  # it may have ended before the first look
        while self.wait_status is None:
            now = monotonic_ms()
            if now >= tick_at:
                self._tick()
                tick_at, pause_ms = now + pause_ms, min(TICK_MS, 2 * pause_ms)
            due = [at for at in (tick_at, self.timeout_at, self.kill_at) if at is not None]
            for ready, _ in poll.poll(max(0, min(due) - monotonic_ms())):
                if ready == output and not self._pump(output):
                    poll.unregister(output)
                elif ready == wakeup:
                    self._obey(os.read(wakeup, 512))
            self._keep_time(monotonic_ms())
            self._reap()

    def _tick(self) -> None:
        elapsed_ms = monotonic_ms() - self.started_at
        self.meter.sample(at_ms=self.started_ms + elapsed_ms, elapsed_ms=elapsed_ms)
        if os.path.exists(os.path.join(self.run, "stop.json")):
            self._obey(bytes([signal.SIGTERM]))
        limit = self._memory_limit
        if self.limits["memory"] == "rlimit" and limit and self.meter.memory_bytes > limit:
            self.oom_kills += 1
            self._end("out_of_memory", grace_ms=0)

    def _obey(self, signals: bytes) -> None:
        if signal.SIGTERM in signals or signal.SIGINT in signals:
            order = read_json(os.path.join(self.run, "stop.json")) or {}
            grace_ms = _integer(order.get("grace_ms", KILL_GRACE_MS)) or 0
            self._end(str(order.get("reason", "engine_shutdown")), grace_ms=grace_ms)

    def _keep_time(self, now: int) -> None:
        if self.timeout_at is not None and now >= self.timeout_at:
            self._end("timeout", grace_ms=KILL_GRACE_MS)
            self.timeout_at = None
        if self.kill_at is not None and now >= self.kill_at and self.pid is not None:
            linux.kill(self.pid, signal.SIGKILL)
            self.kill_at = now + TICK_MS

    def _end(self, reason: str, *, grace_ms: int) -> None:
        """Ask once; later orders may only shorten the grace."""
        kill_at = monotonic_ms() + grace_ms
        if self.reason is None and self.pid is not None:
            self.reason = reason
            linux.kill(self.pid, signal.SIGTERM if grace_ms else signal.SIGKILL)
        self.kill_at = kill_at if self.kill_at is None else min(kill_at, self.kill_at)

    def _pump(self, output: int) -> bool:
        """Move what is there now; False when the job has closed its output."""
        try:
            data = os.read(output, READ_BYTES)
        except BlockingIOError:
            return True
        self.log.write(data)
        return bool(data)

    def _reap(self) -> None:
        """Collect the dead: the main process and adopted orphans."""
        while True:
            try:
                pid, status = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                return
            if pid == 0:
                return
            if pid == self.pid:
                self.ended_ms = self.started_ms + monotonic_ms() - self.started_at
                self.wait_status = status

    # -- end ------------------------------------------------------------------------------

    def finish(self, output: int) -> None:
        """Kill what is left, empty the pipe, take the last sample, remove the group."""
        if not kill_descendants(self.group):
            self.detail = "some processes could not be killed"
        while select.select([output], [], [], 0)[0] and self._pump(output):
            continue
        ended_ms = self.ended_ms or self.started_ms
        self.meter.sample(at_ms=ended_ms, elapsed_ms=ended_ms - self.started_ms)
        self.oom_kills += self.group.oom_kills()
        if self.oom_kills and self.wait_status and self.reason is None:
            self.reason = "out_of_memory"

    def report(self, state: str) -> None:
        """Write status.json as things stand."""
        ended = state == "ended"
        write_json(
            os.path.join(self.run, "status.json"),
            {
                "state": state,
                "pid": os.getpid(),
                "pid_start": linux.Process(os.getpid()).start,
                "boot_id": linux.boot_id(),
                "child_pid": self.pid,
                "started_ms": self.started_ms,
                "ended_ms": (self.ended_ms or self.started_ms) if ended else None,
                "exit_code": self._exit()[0],
                "signal": self._exit()[1],
                "oom": self.oom_kills > 0,
                "reason": self.reason if ended else None,
                "detail": self.detail,
                "limits": self.limits,
                "ports": self.ports,
                "cgroups": sorted(self.group.directories.values()),
                "log": self.log.facts(),
            },
        )

    def _exit(self) -> tuple[int | None, int | None]:
        """Exit code or signal of the main process; neither while it runs or when it never did."""
        status = self.wait_status
        if status is None:
            return None, None
        if os.WIFSIGNALED(status):
            return None, os.WTERMSIG(status)
        return os.WEXITSTATUS(status), None


def _integer(value: object) -> int | None:
    return value if isinstance(value, int) else None


def _claim(run: str) -> bool:
    """True for exactly one shim per run directory, ever."""
    lock = os.open(os.path.join(run, "shim.lock"), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return not os.path.exists(os.path.join(run, "status.json"))


def _listen() -> int:
    """Turn the signals we live by into bytes on a pipe."""
    wakeup, alarm = os.pipe()
    os.set_blocking(wakeup, False)
    os.set_blocking(alarm, False)
    signal.set_wakeup_fd(alarm, warn_on_full_buffer=False)
    for number in (signal.SIGCHLD, signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda _number, _frame: None)
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    return wakeup


def main(run: str) -> None:
    """Run the attempt described in `run`, once."""
    if not _claim(run):
        return
    wakeup = _listen()
    linux.adopt_orphans()
    spec = read_json(os.path.join(run, "spec.json"))
    if spec is None:
        sys.exit(f"no spec in {run}")
    attempt = Attempt(run, spec)
    order = read_json(os.path.join(run, "stop.json"))
    if order is not None:
        attempt.reason = str(order.get("reason", "stopped"))
    else:
        output = attempt.begin()
        if output is not None:
            attempt.report("running")
            attempt.watch(output, wakeup)
            attempt.finish(output)
    attempt.group.remove()
    remove_shared_memory(child.shm_prefix(str(spec["key"])))
    attempt.report("ended")
