"""`alldata check|submit|reserve|jobs|job|why|...`: the platform from a terminal, over REST with a token."""

import argparse
import json
import os
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from uuid import uuid4

from alldata.cli.client import Client, Json, Refused, Unreachable


def check(client: Client, asked: argparse.Namespace) -> None:
    """Where would it go, when would it end, for how much? Nothing is written."""
    answer = client.schedule(_body(asked.file), request_id=None)
    print(json.dumps(answer, indent=2, ensure_ascii=False) if asked.json else "\n".join(answer_lines(answer)))


def reserve(client: Client, asked: argparse.Namespace) -> None:
    """Hold the place; its id goes into `submit --on`."""
    body = _body(asked.file) | {"reserve": True, "hold_ms": asked.seconds * 1000}
    held = client.schedule(body, request_id=asked.request_id or str(uuid4()))["reservation"]
    print(f"{held['id']}  {held['job']}  {held['state']}  {_nodes(held['place'])}")


def reservations(client: Client, asked: argparse.Namespace) -> None:
    for held in client.reservations()["reservations"]:
        print(f"{held['id']}  {held['job']}  {_nodes(held['place'])}")


def release(client: Client, asked: argparse.Namespace) -> None:
    print(client.release(asked.reservation)["state"])


def why(client: Client, asked: argparse.Namespace) -> None:
    """Every device and every rule of the latest decision."""
    table = client.decision(asked.job)
    for row in table["rows"]:
        for cell in (cell for cell in row["cells"] if cell["rule"] != "unusable" or not cell["ok"]):
            mark = "ok" if cell["ok"] else cell["rule"]
            what = f"{cell['dimension'] or ''} needs {cell['need']} has {cell['have']} {cell['unit']}"
            print(f"{'*' if row['chosen'] else ' '} {row['device'] or row['node']:40} {mark:10} {what}")


def submit(client: Client, asked: argparse.Namespace) -> None:
    """Post the JSON file as a job and print its number."""
    body = _body(asked.file) | ({"reservation": asked.on} if asked.on else {})
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


def _body(file: str) -> Json:
    body: Json = json.loads(Path(file).read_text())
    return body


def _nodes(place: Json) -> str:
    """The node, or those of all members of a gang."""
    return ", ".join(part["node"] for part in place.get("members") or [place])


def answer_lines(answer: Json) -> list[str]:
    """The answer in a few lines: the place, or what is lacking and what would help."""
    forecast, place = answer["forecast"], answer["place"]
    if place is not None:
        found = [f"fits now on {_nodes(place)}"]
        found += [f"  {a['device']}: {a['dimension']} {a['shown']}" for a in place["amounts"]]
    else:
        nearest, member = answer["refusal"]["nearest"] or {}, answer["refusal"].get("member")
        found = ["does not fit now" if answer["refusal"]["possible"] else "can never fit here"]
        found += [f"  in the way: {member}"] if member else []
        found.append(
            f"  {nearest.get('dimension')}: needs {nearest.get('need')}, the nearest has {nearest.get('have')}"
        )
        found += [
            f"  fits with {r['dimension']} {r['to']} instead of {r['was']}" for r in answer["refusal"]["relaxations"]
        ]
        found += [f"  {slip['hint']}" for slip in answer["unit_slips"]]
    cost, lasts = forecast["cost"]["p50"], forecast["duration_ms"]["p50"]
    found += [f"lasts about {lasts / 1000:.0f} s"] if lasts is not None else []
    found += [f"costs about {cost['amount']} {cost['currency']}"] if cost else []
    found += [f"in time with {forecast['on_time']:.0%}"] if forecast["on_time"] is not None else []
    return [*found, *(f"warning: {code}" for code in answer["warnings"])]


COMMANDS: Mapping[str, Callable[[Client, argparse.Namespace], None]] = {
    "check": check,
    "submit": submit,
    "reserve": reserve,
    "reservations": reservations,
    "release": release,
    "why": why,
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
    posting.add_argument("--on", help="a reservation: start on the place that is held")
    checking = commands.add_parser("check", help="say where the job or demand in a JSON file would go")
    checking.add_argument("file")
    checking.add_argument("--json", action="store_true", help="the whole answer")
    holding = commands.add_parser("reserve", help="hold the place for what a JSON file asks")
    holding.add_argument("file")
    holding.add_argument("--seconds", type=int, default=60, help="how long it is held unused, 1 to 600")
    holding.add_argument("--request-id", help="the same id never holds a second place")
    commands.add_parser("reservations", help="list the places held now")
    commands.add_parser("release", help="give a held place back").add_argument("reservation")
    for name in ("job", "log", "cancel", "cost", "why"):
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
