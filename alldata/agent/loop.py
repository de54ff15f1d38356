"""What does a running agent do, second by second?

Look at the counters every sampling interval; close a window when its time is up and there is room
in the spool, make it durable, and let the reporter send it. Facts are probed again every half
minute. An epoch is (boot id, start count): a new one begins at every start and whenever the wall
clock and our own count of time have parted.
"""

import logging
import subprocess
import threading
from dataclasses import dataclass, field
from pathlib import Path

from alldata.agent import calibrate
from alldata.agent.attempts import Attempts, Places
from alldata.agent.clock import Timeline, mono_ms, wall_ms
from alldata.agent.probe import nvme
from alldata.agent.probe.machine import Driver, Machine, inspect
from alldata.agent.probe.nvml import Nvml, start
from alldata.agent.probe.recording import recorded
from alldata.agent.probe.tree import Tree
from alldata.agent.probe.xid import XidWatch
from alldata.agent.report import Reporter
from alldata.agent.sample import Sampler, read_all
from alldata.agent.spool import Spool
from alldata.agent.version import VERSION
from alldata.agent.wire import Frame, Register

PROBE_EVERY_MS = 30_000
CALIBRATE_AFTER_MS = 1_000
CALIBRATE_SOON_MS = 3_000
BUSY_LOOKS = 2
CALIBRATE_AGAIN_MS = 30_000
MAX_CLAMP_MS = 5_000
#: Length of windows while the spool is full, and the longest that a server accepts.
COARSE_MS = 15 * 60_000
LONGEST_MS = 3_600_000
FINISH_MS = 2_000

log = logging.getLogger("alldata.agent")


@dataclass(frozen=True, slots=True)
class Setup:
    """What the operator decided."""

    name: str
    runs_dir: Path
    state_dir: Path
    window_ms: int = 2_000
    sampling_ms: int = 1_000
    root: Path = Path("/")
    simulated: bool = False
    recalibrate: bool = False


@dataclass(slots=True)
class Epoch:
    """One unbroken count of time."""

    name: str
    timeline: Timeline
    window_start_ms: int
    seq: int = 0
    sampler: Sampler = field(default_factory=Sampler)


class Probe:
    """The machine as last probed, and the facts to register."""

    def __init__(self, setup: Setup) -> None:
        self._setup = setup
        self.tree = Tree(setup.root)
        self.nvml: Nvml | None
        self.nvml, self._why_no_nvml = start() if self.tree.is_live else (recorded(self.tree), "recorded_machine")
        self._xids = XidWatch(self.nvml) if self.nvml else None
        self.machine: Machine = self.look()
        self.looked_ms = mono_ms()

    def look(self) -> Machine:
        self.looked_ms = mono_ms()
        driver = Driver(self.nvml, self._why_no_nvml, self._xids.look() if self._xids else {})
        self.machine = inspect(self._setup.name, root=self._setup.root, driver=driver)
        return self.machine

    def facts(self, epoch: str) -> Register:
        """Everything to register, measured values included."""
        found = self.machine
        measured = calibrate.load(self._setup.state_dir, found, wall_ms())
        return Register(
            hostname=found.hostname,
            boot_id=found.boot_id,
            epoch=epoch,
            cores=found.cores,
            numa=tuple(pool.as_wire() for pool in found.pools),
            devices=calibrate.apply(found.devices, measured),
            sampling_ms=self._setup.sampling_ms,
            window_ms=self._setup.window_ms,
            links=found.links,
            simulated=self._setup.simulated,
            versions=found.versions | {"agent": VERSION},
            limits=found.limits,
            gaps=found.gaps,
        )

    def places(self) -> Places:
        """Where attempts' usage belongs."""
        devices = self.machine.devices
        drive = nvme.backing(self.tree, self._setup.runs_dir)
        return Places(
            cpu={d.numa_node: d.uuid for d in devices if d.type == "cpu" and d.numa_node is not None},
            memory={d.numa_node: d.uuid for d in devices if d.type == "memory" and d.numa_node is not None},
            node_of_cpu={cpu: pool.node for pool in self.machine.pools for cpu in pool.cpus},
            storage=next((d.uuid for d in devices if d.type == "storage" and d.name == drive), None),
        )


class Agent:
    """One agent over one spool. `run` returns when `ending` is set."""

    def __init__(self, setup: Setup, spool: Spool, probe: Probe) -> None:
        self._setup = setup
        self._spool = spool
        self._probe = probe
        self._attempts = Attempts(setup.runs_dir)
        self._epoch = self._begin_epoch()
        self._places = probe.places()
        self._child: subprocess.Popen[bytes] | None = None
        self._calibrate_at: int | None = mono_ms() + CALIBRATE_AFTER_MS
        self._busy_looks = 0
        self._forcing = self._hurried = False
        self.facts = probe.facts(self._epoch.name)

    def _begin_epoch(self) -> Epoch:
        """A new count of time whose first window does not reach into the last one of the spool."""
        name = f"{self._probe.machine.boot_id}:{self._spool.next_start(wall_ms())}"
        timeline = Timeline.from_now()
        now = timeline.now_ms()
        last = self._spool.last_end_ms
        return Epoch(name, timeline, last if now < last <= now + MAX_CLAMP_MS else now)

    def run(self, reporter: Reporter, ending: threading.Event) -> None:
        """Look, close, report, until told to end; the last window is closed then too."""
        self._look()
        due = mono_ms()
        while not ending.is_set():
            due = max(due + self._setup.sampling_ms, mono_ms() - self._setup.sampling_ms)
            ending.wait(max(0, due - mono_ms()) / 1000)
            self._look()
            if ending.is_set() or self._window_ms() >= self._length_ms():
                self._close(reporter)
            self._refresh(reporter)
        if self._child is not None:
            self._child.terminate()
            self._child.wait()
        reporter.finish(FINISH_MS)

    def _window_ms(self) -> int:
        return self._epoch.timeline.now_ms() - self._epoch.window_start_ms

    def _length_ms(self) -> int:
        """How long the open window should become."""
        return self._setup.window_ms if self._spool.has_room else COARSE_MS

    def _look(self) -> None:
        at_ms = self._epoch.timeline.now_ms()
        self._epoch.sampler.look(read_all(self._probe.tree, self._probe.machine, self._probe.nvml), at_ms)
        self._attempts.look(at_ms)

    def _close(self, reporter: Reporter) -> None:
        """Make the window durable. While the disk refuses it stays open and grows coarser."""
        epoch, at_ms = self._epoch, self._epoch.timeline.now_ms()
        if at_ms <= epoch.window_start_ms:
            return
        self._drop_what_is_too_long(at_ms)
        attempts, reported = self._attempts.close(self._spool.reported, self._places, at_ms)
        devices = epoch.sampler.peek()
        attempts += self._attempts.on_gpus(attempts, devices)
        frame = Frame(epoch.name, epoch.seq + 1, epoch.window_start_ms, at_ms, devices, attempts)
        try:
            self._spool.append(frame, reported)
        except OSError as failure:
            log.error("the spool cannot be written, the window stays open: %s", failure)
            return
        epoch.sampler.clear()
        self._attempts.settled(at_ms)
        epoch.seq, epoch.window_start_ms = frame.seq, at_ms
        reporter.wake()
        if epoch.timeline.has_parted:
            log.warning("the clock was set or the machine slept: a new epoch begins")
            self._epoch = self._begin_epoch()
            self._announce(reporter)

    def _drop_what_is_too_long(self, at_ms: int) -> None:
        """A window nobody would accept begins anew: devices have a gap, attempts lose nothing."""
        if at_ms - self._epoch.window_start_ms > LONGEST_MS:
            self._epoch.sampler.clear()
            self._epoch.window_start_ms = at_ms - self._setup.window_ms

    def _refresh(self, reporter: Reporter) -> None:
        """Probe again when it is time, and take up a finished calibration."""
        if self._calibration_is_new() or mono_ms() - self._probe.looked_ms >= PROBE_EVERY_MS:
            self._probe.look()
            self._places = self._probe.places()
            self._announce(reporter)

    def _announce(self, reporter: Reporter) -> None:
        facts = self._probe.facts(self._epoch.name)
        if facts != self.facts:
            self.facts = facts
            reporter.announce(facts)

    def _calibration_is_new(self) -> bool:
        """Start measuring, where no kept result serves; True when a result has arrived.

        A busy machine is asked again soon. One that stays busy and has never been measured is measured
        all the same, since a low value places jobs and a missing one never does; a quiet moment mends it.
        """
        if self._child is not None and (status := self._child.poll()) is not None:
            self._child = None
            if status != calibrate.BUSY:
                self._hurried = self._forcing
                self._calibrate_at = mono_ms() + CALIBRATE_AGAIN_MS if self._hurried else None
                return True
            self._busy_looks += 1
            self._calibrate_at = mono_ms() + (CALIBRATE_AGAIN_MS if self._hurried else CALIBRATE_SOON_MS)
        if self._calibrate_at is not None and mono_ms() >= self._calibrate_at:
            self._calibrate_at = None
            self._start_measuring()
        return False

    def _start_measuring(self) -> None:
        kept = calibrate.load(self._setup.state_dir, self._probe.machine, wall_ms())
        if not self._probe.tree.is_live or not (kept is None or self._setup.recalibrate or self._hurried):
            return
        self._forcing = kept is None and self._busy_looks >= BUSY_LOOKS
        self._child = calibrate.start_child(self._setup.state_dir, self._setup.runs_dir, despite_load=self._forcing)
