"""`alldata submit|jobs|job|log|cancel|cost`: the platform from a terminal, over REST with a token."""

import argparse
import json
import os
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from uuid import uuid4

from alldata.cli.client import Client, Json, Refused, Unreachable


def submit(client: Client, asked: argparse.Namespace) -> None:
    """Post the JSON file as a job and print its number."""
    body: Json = json.loads(Path(asked.file).read_text())
    job = client.submit(body, request_id=asked.request_id or str(uuid4()))
    print(f"{job['reference']}  {job['id']}  {job['state']}")


def jobs(client: Client, asked: argparse.Namespace) -> None:
    for job in client.jobs()["jobs"]:
        print(f"{job['reference']:8} {job['state']:11} {job['name']}")


def job(client: Client, asked: argparse.Namespace) -> None:
    print(json.dumps(client.job(asked.job), indent=2, ensure_ascii=False))


def log(client: Client, asked: argparse.Namespace) -> None:
    """The whole stored log, piece by piece."""
    offset = 0
    while (piece := client.log(asked.job, after=offset))["text"]:
        sys.stdout.write(piece["text"])
        offset = piece["next_offset"]


def cancel(client: Client, asked: argparse.Namespace) -> None:
    print(client.cancel(asked.job)["state"])


def cost(client: Client, asked: argparse.Namespace) -> None:
    print(json.dumps(client.cost(asked.job), indent=2, ensure_ascii=False))


COMMANDS: Mapping[str, Callable[[Client, argparse.Namespace], None]] = {
    "submit": submit,
    "jobs": jobs,
    "job": job,
    "log": log,
    "cancel": cancel,
    "cost": cost,
}


OFFLINE = "Without a server: `alldata rcdl check FILE` judges a profile or a description of hardware."


def arguments(words: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="alldata", description=__doc__, epilog=OFFLINE)
    parser.add_argument("--server", default=os.environ.get("ALLDATA_URL", "http://127.0.0.1:8000"))
    parser.add_argument("--token", default=os.environ.get("ALLDATA_TOKEN", ""), help="default: ALLDATA_TOKEN")
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("jobs", help="list jobs")
    posting = commands.add_parser("submit", help="queue the job described in a JSON file")
    posting.add_argument("file")
    posting.add_argument("--request-id", help="the same id never queues a second job")
    for name in ("job", "log", "cancel", "cost"):
        commands.add_parser(name).add_argument("job", help="J-12 or the job's id")
    return parser.parse_args(words)


def main(words: list[str] | None = None) -> int:
    """Exit 0 when the server did what was asked, 1 with its own words otherwise."""
    asked = arguments(words)
    try:
        with Client(asked.server, asked.token) as client:
            COMMANDS[asked.command](client, asked)
    except (Refused, Unreachable) as failure:
        print(f"alldata: {failure}", file=sys.stderr)
        return 1
    return 0
