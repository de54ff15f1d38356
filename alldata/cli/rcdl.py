"""`alldata rcdl check|diff|show|schema`: the capability language at a desk, without server, database or network.

Exit status: 0 the document is valid (or nothing changed), 1 it is not (or something did), 2 it
could not be read at all or the command was wrong. `-` reads standard input.
"""

import argparse
import json
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

from profiles.errors import InvalidDocument
from profiles.hkb.advice import HardwareAdvisor
from profiles.hkb.lookup import published
from profiles.rcdl.build import MAX_BYTES
from profiles.rcdl.diff import diff
from profiles.rcdl.dump import as_yaml, dump
from profiles.rcdl.parse import Result, load, parse
from profiles.rcdl.problems import Problem
from profiles.rcdl.schema import schema


def read(name: str) -> bytes:
    """The text of a file; a byte too many is enough for the parser to refuse it."""
    if name == "-":
        return sys.stdin.buffer.read(MAX_BYTES + 1)
    with Path(name).open("rb") as file:
        return file.read(MAX_BYTES + 1)


def judge(name: str) -> Result:
    return parse(read(name), HardwareAdvisor(published()))


def check(asked: argparse.Namespace) -> int:
    """Print `{valid, kind, errors, warnings}`, or a line for each fault."""
    result = judge(asked.file)
    if asked.json:
        print(json.dumps(result.as_json(), ensure_ascii=False, indent=2))
    else:
        for word, problems in (("error", result.errors), ("warning", result.warnings)):
            for problem in problems:
                print(line(asked.file, word, problem))
        print(f"{asked.file}: {'valid' if not result.errors else 'not valid'} ({result.kind or 'unreadable'})")
    return 1 if result.errors else 0


def line(name: str, word: str, problem: Problem) -> str:
    """`file:line:column: error[code] path: message; suggestion`, as compilers write it."""
    hint = f"; {problem.suggestion}" if problem.suggestion else ""
    where = f" {problem.path}:" if problem.path else ""
    return f"{name}:{problem.line}:{problem.column}: {word}[{problem.code}]{where} {problem.message}{hint}"


def compare(asked: argparse.Namespace) -> int:
    """What the second file means that the first does not."""
    changes = diff(load(read(asked.old)), load(read(asked.new)))
    if asked.json:
        print(json.dumps({"changes": [change.as_json() for change in changes]}, ensure_ascii=False, indent=2))
    else:
        for change in changes:
            print(f"{change.scope or '*'} {change.path}: {change.before} -> {change.after} ({change.effect})")
    return 1 if changes else 0


def show(asked: argparse.Namespace) -> int:
    """The canonical form: the digest is the sha256 of the JSON."""
    result = judge(asked.file)
    if result.document is None:
        return check(argparse.Namespace(file=asked.file, json=asked.json))
    print(dump(result.document) if asked.json else as_yaml(result.document), end="" if not asked.json else "\n")
    return 0


def publish_schema(asked: argparse.Namespace) -> int:
    print(json.dumps(schema(), indent=1))
    return 0


COMMANDS: Mapping[str, Callable[[argparse.Namespace], int]] = {
    "check": check,
    "diff": compare,
    "show": show,
    "schema": publish_schema,
}


def arguments(words: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="alldata rcdl", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    for name in ("check", "show"):
        reading = commands.add_parser(name)
        reading.add_argument("file", help="YAML or JSON; - for standard input")
        reading.add_argument("--json", action="store_true")
    comparing = commands.add_parser("diff")
    comparing.add_argument("old")
    comparing.add_argument("new")
    comparing.add_argument("--json", action="store_true")
    commands.add_parser("schema", help="print the JSON Schema of the language")
    return parser.parse_args(words)


def main(words: list[str]) -> int:
    asked = arguments(words)
    try:
        return COMMANDS[asked.command](asked)
    except OSError as failure:
        print(f"alldata rcdl: {failure}", file=sys.stderr)
    except InvalidDocument as failure:
        print(f"alldata rcdl: {failure}", file=sys.stderr)
    return 2
