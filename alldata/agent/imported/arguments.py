"""The command line of `import`, without its readers: an agent that runs for months must not carry them."""

import argparse
import importlib
from pathlib import Path


def add_to(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """The command line of `import`."""
    parser = commands.add_parser("import", help="build a node from saved command outputs, without installing anything")
    parser.set_defaults(command=_run)
    parser.add_argument("files", nargs="+", type=Path, metavar="FILE", help="outputs, XML, JSON, archives of /sys")
    parser.add_argument("--name", help="the node's name in the portal (imported-HOST)")
    parser.add_argument("--host", help="which machine, where the files describe several")
    parser.add_argument("--dry-run", action="store_true", help="print the message instead of sending it")
    parser.add_argument("--server", help="the portal's address")
    parser.add_argument("--key-file", type=Path, help="the file that holds the agent key")


def _run(options: argparse.Namespace) -> int:
    return int(importlib.import_module("alldata.agent.imported.command").run(options))
