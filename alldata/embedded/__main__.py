"""`python -m alldata.embedded up|demo`: the platform on this machine, kept up, or with the whole story run once."""

import argparse
import sys
import time
from pathlib import Path

from alldata.embedded.demo import Asked, run_demo
from alldata.embedded.home import ADMINISTRATOR, DEFAULT_DATA, AlreadyRunning, Home, occupied
from alldata.embedded.signals import Stopped, listen
from alldata.embedded.supervisor import StartFailed, Supervisor


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m alldata.embedded", description=__doc__)
    parser.add_argument("command", choices=("up", "demo"))
    parser.add_argument("--data", type=Path, default=DEFAULT_DATA, help="the one directory of all data (default: var)")
    parser.add_argument("--port", type=int, help="the portal's port (default: a free one, kept for the next start)")
    parser.add_argument("--once", action="store_true", help="demo: stop after the story")
    parser.add_argument("--json", type=Path, help="demo: also write the result here")
    return parser.parse_args()


def keep_up(home: Home) -> None:
    """Run until a signal comes."""
    supervisor = Supervisor(home)
    began = time.monotonic()
    try:
        supervisor.start()
        took = time.monotonic() - began
        print(f"The portal answers at {home.url} after {took:.1f} s. Ctrl-C stops everything.", flush=True)
        print(f"Sign in as {ADMINISTRATOR}; the password is in {home.secret_file('admin_password')}", flush=True)
        supervisor.tend_for_ever()
    finally:
        supervisor.stop()


def main() -> int:
    """Exit 0 after an orderly stop, 1 with one clear line otherwise."""
    asked = arguments()
    listen()
    try:
        with occupied(asked.data.resolve(), web_port=asked.port) as home:
            if asked.command == "demo":
                return run_demo(home, Asked(asked.once or not sys.stdout.isatty(), asked.json))
            keep_up(home)
    except Stopped:
        print("Stopped.", flush=True)
        return 0 if asked.command == "up" else 130
    except (AlreadyRunning, StartFailed) as refusal:
        print(f"alldata: {refusal}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
