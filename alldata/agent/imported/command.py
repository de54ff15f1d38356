"""`alldata-agent import FILE...`: what do these files say, and shall the portal know it?

Prints what each file gave and what could not be read, by file and line. Posts the node unless it is a rehearsal.
"""

import argparse
import json
import sys
from pathlib import Path

from alldata.agent.clock import wall_ms
from alldata.agent.decode import encode
from alldata.agent.http import Address, Server, Unreachable
from alldata.agent.imported.build import build, node_name
from alldata.agent.readers.records import Complaint, Reading
from alldata.agent.readers.registry import read_path
from alldata.agent.report import REGISTER_PATH, Outcome, judge
from alldata.agent.version import VERSION
from alldata.agent.wire import Envelope, Register, to_bytes


def run(options: argparse.Namespace) -> int:
    """0: all read; 1: read in part; 2: nothing to build from, or not accepted."""
    if not options.dry_run and not (options.server and options.key_file):
        raise ValueError("--server and --key-file are needed to send the node; --dry-run only shows it")
    label = options.name or "imported"
    options.files = [file for path in options.files for file in _files_in(path)]
    readings = tuple(_read(path, label) for path in options.files)
    complaints = [complaint for reading in readings for complaint in reading.complaints]
    for complaint in complaints:
        sys.stderr.write(f"{complaint}\n")
    if not any(reading.hosts or reading.machine for reading in readings):
        sys.stderr.write("alldata-agent: no file describes a machine\n")
        return 2
    node = node_name(readings, wanted=options.name, host=options.host)
    message = build(_renamed(readings, options, node, label), node, options.host)
    if options.dry_run:
        sys.stdout.write(json.dumps(encode(message), indent=1, ensure_ascii=False) + "\n")
        return 1 if complaints else 0
    return _post(options, node, message) or (1 if complaints else 0)


def _files_in(path: Path) -> list[Path]:
    """A folder of saved outputs is its files; a recorded tree is read as a whole."""
    if not path.is_dir() or any((path / top).is_dir() for top in ("sys", "proc")):
        return [path]
    return sorted(file for file in path.iterdir() if file.is_file()) or [path]


def _renamed(readings: tuple[Reading, ...], options: argparse.Namespace, node: str, label: str) -> tuple[Reading, ...]:
    """A recorded tree's devices carry the node's name; read them again once it is known."""
    if node == label or not any(reading.machine for reading in readings):
        return readings
    return tuple(_read(p, node) if r.machine else r for p, r in zip(options.files, readings, strict=True))


def _read(path: Path, label: str) -> Reading:
    try:
        return read_path(path, label)
    except OSError as fault:
        return Reading("unknown", complaints=(Complaint(str(path), 0, str(fault.strerror)),))


def _post(options: argparse.Namespace, node: str, message: Register) -> int:
    envelope = to_bytes(Envelope(node, VERSION, wall_ms(), message))
    try:
        with Server(Address.parse(options.server), options.key_file) as server:
            verdict = judge(server.post(REGISTER_PATH, envelope))
    except Unreachable as fault:
        raise ValueError(f"the portal cannot be reached: {fault}") from None
    if verdict.outcome is not Outcome.TAKEN:
        raise ValueError(f"the portal did not take the node: {verdict.cause}")
    sys.stdout.write(f"{node}: {len(message.devices)} devices imported; nothing will be placed on them\n")
    return 0
