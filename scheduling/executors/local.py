"""Run attempts on this machine, each beside a shim process that outlives whoever started it.

The run directory is the only state: any process with the same `runs_dir` may launch, observe
and stop, in any order and at once. `spec.json` appears exactly once per key; the shim's own
lock makes a doubled start harmless; a start that died half way is completed by the next call.
What the shim writes, and why an attempt is LOST, is in docs/shim.md.
"""

import os
import re
import shutil
import signal
import subprocess
import threading
import time
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path, PurePosixPath

import alldata
from scheduling.executors import rundir, runlog
from scheduling.executors.base import AttemptKey, LaunchRefused, LaunchSpec, LogChunk, Observation, Phase
from scheduling.executors.leftovers import sweep

KEY = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,63}")
SEGMENT_BYTES = 4 * 1024 * 1024
SMALLEST_SEGMENT_BYTES = 4096
SHIM_START_S = 15.0
BOOT = "import sys; sys.path.insert(0, sys.argv[1]); from alldata.agent.shim.attempt import main; main(sys.argv[2])"


class LocalExecutor:
    """The engine of one machine. `python` is the interpreter of shims and the first on a job's PATH."""

    name = "local"
    simulated = False

    def __init__(self, *, runs_dir: Path, node: str, python: str) -> None:
        self._runs = Path(os.path.abspath(runs_dir))
        self._node = node
        self._python = python
        self._shims: list[subprocess.Popen[bytes]] = []
        self._guard = threading.Lock()

    # -- launch ---------------------------------------------------------------------------

    def launch(self, key: AttemptKey, spec: LaunchSpec) -> None:
        """Start the attempt unless its key was started before. Errors: LaunchRefused."""
        run = self._run(key)
        if run is None:
            raise LaunchRefused(key, "the key is not a plain name")
        if not (run / "spec.json").exists():
            self._check(key, spec)
            run.mkdir(mode=0o750, parents=True, exist_ok=True)
            rundir.write_once(run / "spec.json", self._as_facts(key, spec))
        if not (run / "status.json").exists():
            self._start_shim(run)

    def _check(self, key: AttemptKey, spec: LaunchSpec) -> None:
        if spec.node != self._node:
            raise LaunchRefused(key, f"this engine runs {self._node}, not {spec.node}")
        if not spec.command:
            raise LaunchRefused(key, "there is no command")
        for source in spec.files:
            if not _is_inside(source.name):
                raise LaunchRefused(key, f"{source.name!r} does not lie in the working directory")
            if source.path is not None and not Path(source.path).is_file():
                raise LaunchRefused(key, f"the file for {source.name!r} is gone")

    def _as_facts(self, key: AttemptKey, spec: LaunchSpec) -> rundir.Facts:
        segment_bytes = min(SEGMENT_BYTES, max(SMALLEST_SEGMENT_BYTES, spec.log_limit_bytes // 4))
        return {
            "version": 1,
            "key": key,
            "command": list(spec.command),
            "env": dict(spec.env),
            "path": f"{Path(self._python).parent}:/usr/local/bin:/usr/bin:/bin",
            "files": [{"name": f.name, "text": f.text, "path": f.path} for f in spec.files],
            "ports": list(spec.ports),
            "outputs": list(spec.outputs),
            "cpus": list(spec.cpus),
            "numa_nodes": list(spec.numa_nodes),
            "gpu_uuids": list(spec.gpu_uuids),
            "memory_limit_bytes": spec.memory_limit_bytes,
            "log_limit_bytes": spec.log_limit_bytes,
            "log_segment_bytes": segment_bytes,
            "timeout_ms": spec.timeout_ms,
        }

    def _start_shim(self, run: Path) -> None:
        """Its own session, no descriptor and no variable of ours; it stays when we go."""
        root = str(Path(alldata.__file__).parents[1])
        with (run / "shim.log").open("ab") as output:
            shim = subprocess.Popen(
                [self._python, "-I", "-S", "-c", BOOT, root, str(run)],
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                cwd="/",
                env={"LANG": "C.UTF-8"},
                start_new_session=True,
            )
        with self._guard:
            self._shims.append(shim)
        self._collect()

    def _collect(self) -> None:
        """Collect shims of ours that have ended, so that none stays a zombie."""
        with self._guard:
            self._shims = [shim for shim in self._shims if shim.poll() is None]

    # -- observe --------------------------------------------------------------------------

    def observe(self, keys: Collection[AttemptKey]) -> Mapping[AttemptKey, Observation]:
        """Look at each key once; a key the engine does not know is Phase.ABSENT."""
        self._collect()
        return {key: self._look(key) for key in keys}

    def _look(self, key: AttemptKey) -> Observation:
        run = self._run(key)
        if run is None or not (run / "spec.json").exists():
            return Observation(Phase.ABSENT)
        status = rundir.read_facts(run / "status.json")
        if status is None:
            return self._look_unborn(run)
        if status.get("state") != "ended" and not rundir.shim_is_alive(status):
            status = rundir.read_facts(run / "status.json") or status  # it may have ended since
            if status.get("state") != "ended":
                return self._lost(run, status, "its shim was killed or the machine restarted")
        return _as_observation(run, status)

    def _look_unborn(self, run: Path) -> Observation:
        """Launched, but the shim has not spoken yet."""
        age_s = time.time_ns() / 1e9 - (run / "spec.json").stat().st_mtime  # noqa: TID251 - against a file's stamp
        if age_s < SHIM_START_S:
            return Observation(Phase.STARTING)
        said = runlog.tail(run / "shim.log")
        return self._lost(run, {}, f"its shim never started: {said}" if said else "its shim never started")

    def _lost(self, run: Path, status: rundir.Facts, why: str) -> Observation:
        """Say so, after making sure, once, that nothing of it still runs."""
        usage = rundir.read_facts(run / "usage.json") or {}
        last_seen_ms = rundir.whole(usage, "at_ms") or rundir.whole(status, "started_ms")
        if not (run / "lost.json").exists():
            sweep(run.name, status)
            rundir.write_once(run / "lost.json", {"last_seen_ms": last_seen_ms, "why": why})
        return Observation(
            Phase.LOST,
            started_ms=rundir.whole(status, "started_ms"),
            ended_ms=last_seen_ms,
            detail=why,
            limits={name: str(value) for name, value in rundir.table(status, "limits").items()},
            progress=rundir.read_progress(run),
        )

    # -- stop and clean -------------------------------------------------------------------

    def stop(self, key: AttemptKey, *, grace_ms: int) -> None:
        """Ask it to end, and kill it after `grace_ms`; returns at once."""
        self._order_stop(key, grace_ms=grace_ms, reason="stopped")

    def stop_all(self, *, grace_ms: int) -> tuple[AttemptKey, ...]:
        """For the machine's shutdown: ask everything still running to end ("engine_shutdown")."""
        running = tuple(key for key in self._keys() if self._look(key).phase in (Phase.STARTING, Phase.RUNNING))
        for key in running:
            self._order_stop(key, grace_ms=grace_ms, reason="engine_shutdown")
        return running

    def _order_stop(self, key: AttemptKey, *, grace_ms: int, reason: str) -> None:
        run = self._run(key)
        if run is None or not (run / "spec.json").exists():
            return
        rundir.replace(run / "stop.json", {"grace_ms": grace_ms, "reason": reason})
        status = rundir.read_facts(run / "status.json")
        if status is not None and status.get("state") != "ended" and rundir.shim_is_alive(status):
            _signal(status, signal.SIGTERM)

    def _keys(self) -> Iterator[AttemptKey]:
        if self._runs.is_dir():
            yield from (entry.name for entry in self._runs.iterdir() if KEY.fullmatch(entry.name))

    def read_log(self, key: AttemptKey, *, after: int, limit: int) -> LogChunk:
        """At most `limit` bytes of output from byte `after`; negative `after` counts from the end."""
        run = self._run(key)
        spec = None if run is None else rundir.read_facts(run / "spec.json", limit_bytes=1 << 30)
        if run is None or spec is None:
            return LogChunk(offset=0, next_offset=0, text="", total=0)
        segment_bytes = rundir.whole(spec, "log_segment_bytes") or SEGMENT_BYTES
        return runlog.read_log(run, segment_bytes=segment_bytes, after=after, limit=limit)

    def output_path(self, key: AttemptKey, name: str) -> str | None:
        """Where a finished attempt left the file `name`; None when it did not, or it lies elsewhere."""
        run = self._run(key)
        if run is None or not _is_inside(name):
            return None
        work = (run / "work").resolve()
        path = (work / name).resolve()
        return str(path) if path.is_relative_to(work) and path.is_file() else None

    def forget(self, key: AttemptKey) -> None:
        """Remove every trace of an ended attempt; a live one is left alone."""
        run = self._run(key)
        if run is None or not run.is_dir() or self._look(key).phase in (Phase.STARTING, Phase.RUNNING):
            return
        sweep(key, rundir.read_facts(run / "status.json") or {})
        for directory, _, _ in os.walk(run):
            Path(directory).chmod(0o700)  # the job may have locked its own directories
        shutil.rmtree(run, ignore_errors=True)

    def _run(self, key: AttemptKey) -> Path | None:
        return self._runs / key if KEY.fullmatch(key) else None


def _is_inside(name: str) -> bool:
    path = PurePosixPath(name)
    return bool(path.parts) and not path.is_absolute() and ".." not in path.parts and "\x00" not in name


def _signal(status: rundir.Facts, number: int) -> None:
    """Signal the shim; that it has just ended is no error."""
    pid = rundir.whole(status, "pid")
    if pid:
        try:
            os.kill(pid, number)
        except ProcessLookupError:
            return


def _as_observation(run: Path, status: rundir.Facts) -> Observation:
    ports, limits = rundir.table(status, "ports"), rundir.table(status, "limits")
    return Observation(
        phase=Phase.ENDED if status.get("state") == "ended" else Phase.RUNNING,
        started_ms=rundir.whole(status, "started_ms"),
        ended_ms=rundir.whole(status, "ended_ms"),
        exit_code=rundir.whole(status, "exit_code"),
        signal=rundir.whole(status, "signal"),
        reason=rundir.text(status, "reason"),
        detail=rundir.text(status, "detail"),
        endpoint={name: port for name, port in ports.items() if isinstance(port, int)},
        limits={name: str(value) for name, value in limits.items()},
        progress=rundir.read_progress(run),
    )
