"""The agent's commands: run, probe, calibrate, doctor, import."""

import argparse
import json
import logging
import os
import signal
import sys
import threading
from collections.abc import Sequence
from pathlib import Path
from types import FrameType

from alldata.agent import calibrate, doctor, host
from alldata.agent.clock import wall_ms
from alldata.agent.decode import encode
from alldata.agent.http import Address, Server
from alldata.agent.idle import idle_cards, why_busy
from alldata.agent.imported.arguments import add_to as add_import
from alldata.agent.loop import Agent, Probe, Setup
from alldata.agent.report import Reporter
from alldata.agent.spool import Spool, SpoolBusy
from alldata.agent.version import VERSION
from alldata.agent.wire import WIRE, Capacity, Register

STATE_DIR = Path("alldata-agent-state")
MIN_WINDOW_MS, MAX_WINDOW_MS = 200, 60_000


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; the exit status is 0 when it did what was asked."""
    options = parser().parse_args(arguments)
    logging.basicConfig(level=logging.INFO, stream=sys.stderr, format="%(asctime)s agent %(levelname)s %(message)s")
    try:
        return int(options.command(options))
    except (ValueError, SpoolBusy) as fault:
        return _fail(str(fault))
    except OSError as fault:
        return _fail(f"{fault.filename or 'system'}: {fault.strerror or fault}")


def _fail(cause: str) -> int:
    sys.stderr.write(f"alldata-agent: {cause}\n")
    return 2


def parser() -> argparse.ArgumentParser:
    """The command line."""
    parser = argparse.ArgumentParser(prog="alldata-agent", description=__doc__)
    parser.add_argument("--version", action="version", version=f"alldata-agent {VERSION} (wire {WIRE})")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    run = commands.add_parser("run", help="discover this machine, meter it and report to the server")
    run.set_defaults(command=_run)
    _add_place(run)
    _add_server(run)
    run.add_argument("--window-ms", type=_window, default=2_000, help="length of a usage window (2000)")
    run.add_argument("--sampling-ms", type=_window, default=1_000, help="time between two looks (1000)")
    run.add_argument("--root", type=Path, default=Path("/"), help="play a recorded machine; it is marked simulated")
    run.add_argument("--recalibrate", action="store_true", help="measure bandwidths even if a kept result is fresh")

    probe = commands.add_parser("probe", help="show what this machine has")
    probe.set_defaults(command=_probe)
    _add_place(probe)
    probe.add_argument("--json", action="store_true", help="the facts as they are registered")
    probe.add_argument("--root", type=Path, default=Path("/"), help="read a recorded tree instead of this machine")

    measure = commands.add_parser("calibrate", help="measure memory and disk now, if the machine is idle (about 4 s)")
    measure.set_defaults(command=_calibrate)
    _add_place(measure)
    measure.add_argument("--force", action="store_true", help="measure even while the machine is busy")
    measure.add_argument("--despite-load", action="store_true", help="wait for our attempts to end, not for idle cores")

    check = commands.add_parser("doctor", help="name the cause of a failed registration, and what spoils placement")
    check.set_defaults(command=_doctor)
    _add_place(check)
    _add_server(check, required=False)
    check.add_argument("--root", type=Path, default=Path("/"), help="look at a recorded tree instead of this machine")
    add_import(commands)
    return parser


def _add_place(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--name", default=os.uname().nodename, help="this node's name (the host name)")
    parser.add_argument("--runs-dir", type=Path, default=STATE_DIR / "runs", help="where the engine runs attempts")
    parser.add_argument("--spool", type=Path, default=STATE_DIR, help="the agent's own directory")


def _add_server(parser: argparse.ArgumentParser, *, required: bool = True) -> None:
    parser.add_argument("--server", required=required, help="the portal's address")
    parser.add_argument("--key-file", type=Path, required=required, help="the file that holds the agent key")


def _window(text: str) -> int:
    value = int(text)
    if not MIN_WINDOW_MS <= value <= MAX_WINDOW_MS:
        raise argparse.ArgumentTypeError(f"{value} is not between {MIN_WINDOW_MS} and {MAX_WINDOW_MS}")
    return value


def _setup(options: argparse.Namespace) -> Setup:
    extra = {name: value for name, value in vars(options).items() if name in ("window_ms", "sampling_ms", "root")}
    return Setup(
        simulated=getattr(options, "root", Path("/")) != Path("/"),
        name=options.name,
        runs_dir=options.runs_dir,
        state_dir=options.spool,
        recalibrate=getattr(options, "recalibrate", False),
        **extra,
    )


def _run(options: argparse.Namespace) -> int:
    address = Address.parse(options.server)
    setup = _setup(options)
    setup.runs_dir.mkdir(parents=True, exist_ok=True)
    ending = threading.Event()

    def end(_signal: int, _frame: FrameType | None) -> None:
        ending.set()

    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, end)
    spool = Spool(setup.state_dir)
    agent = Agent(setup, spool, Probe(setup))
    reporter = Reporter(Server(address, options.key_file), spool, setup.name, agent.facts)
    reporter.start()
    agent.run(reporter, ending)
    spool.close()
    return 0


def _facts(options: argparse.Namespace) -> Register:
    return Probe(_setup(options)).facts("probe:0")


def _probe(options: argparse.Namespace) -> int:
    facts = _facts(options)
    if options.json:
        sys.stdout.write(json.dumps(encode(facts), indent=1) + "\n")
        return 0
    sys.stdout.write(f"{facts.hostname}: {facts.cores} cores, {len(facts.numa)} NUMA nodes\n")
    for device in facts.devices:
        state = "" if device.health == "ok" else f"  {device.health.upper()}: {device.degraded_reason}"
        sys.stdout.write(f"{device.uuid}  {device.model or ''}{state}\n")
        for dimension, capacity in device.capacities.items():
            sys.stdout.write(f"    {dimension:<22}{_shown(capacity)}\n")
    return 0


def _shown(capacity: Capacity) -> str:
    if capacity.value is None:
        return f"{'unknown':>20}  {capacity.reason}"
    return f"{capacity.value:>20,}  {capacity.source}, {capacity.quality}"


def _calibrate(options: argparse.Namespace) -> int:
    setup = _setup(options)
    for needed in (setup.state_dir, setup.runs_dir):
        needed.mkdir(parents=True, exist_ok=True)
    probe = Probe(setup)
    busy = None if options.force else why_busy(setup.runs_dir, probe.tree, despite_load=options.despite_load)
    if busy:
        sys.stderr.write(f"alldata-agent: not measured, {busy}; --force measures all the same\n")
        return calibrate.BUSY
    begun = wall_ms()
    found = calibrate.measure(probe.machine, setup.runs_dir, probe.tree, idle_cards(probe.nvml, probe.machine.devices))
    calibrate.save(setup.state_dir, found)
    sys.stdout.write(json.dumps(found.as_json() | {"took_ms": wall_ms() - begun}, indent=1) + "\n")
    return 0


def _doctor(options: argparse.Namespace) -> int:
    """The way to the portal where one is named, then the host itself; only the former decides the exit status."""
    probe = Probe(_setup(options))
    well = True
    if options.server:
        key_file = options.key_file or Path("agent.key")
        for finding in doctor.examine(options.server, key_file, options.name, probe.facts("probe:0")):
            sys.stdout.write(f"{'ok  ' if finding.ok else 'FAIL'}  {finding.check:<13}{finding.seen}\n")
            if not finding.ok:
                sys.stdout.write(f"      fix: {finding.fix}\n")
            well = well and finding.ok
    for setting in host.examine(probe.tree, probe.machine.devices):
        sys.stdout.write(f"{'ok  ' if setting.ok else 'note'}  {setting.name}: {setting.now}")
        sys.stdout.write("\n" if setting.ok else f", wanted {setting.wanted}: {setting.why}\n")
        if not setting.ok:
            sys.stdout.write(f"      fix: {setting.command}\n")
    return 0 if well else 1


if __name__ == "__main__":
    sys.exit(main())
