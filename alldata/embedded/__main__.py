"""`python -m alldata.embedded up|demo`: the platform on this machine, kept up, or with the whole story run once."""

import argparse
import signal
import sys
import time
from pathlib import Path
from types import FrameType

from alldata.embedded.demo import run_demo
from alldata.embedded.home import DEFAULT_DATA, AlreadyRunning, Home, occupied
from alldata.embedded.supervisor import StartFailed, Supervisor


class Stopped(BaseException):
    """Ctrl-C or SIGTERM arrived. Not an Exception: nothing on the way may mistake it for a failure."""


def stop_on_signal(number: int, frame: FrameType | None) -> None:
    """Unwind to the orderly stop; a second signal must not break into it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    raise Stopped(number)


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m alldata.embedded", description=__doc__)
    parser.add_argument("command", choices=("up", "demo"))
    parser.add_argument("--data", type=Path, default=DEFAULT_DATA, help="the one directory of all data (default: var)")
    parser.add_argument("--port", type=int, help="the portal's port (default: a free one, kept for the next start)")
    parser.add_argument("--once", action="store_true", help="demo: stop after the story")
    parser.add_argument("--json", type=Path, help="demo: also write the result here")
    return parser.parse_args()


def keep_up(home: Home) -> int:
    """Run until a signal comes."""
    supervisor = Supervisor(home)
    began = time.monotonic()
    try:
        supervisor.start()
        took = time.monotonic() - began
        print(f"The portal answers at {home.url} after {took:.1f} s. Ctrl-C stops everything.", flush=True)
        while True:
            supervisor.tend()
            time.sleep(0.2)
    finally:
        supervisor.stop()


def main() -> int:
    """Exit 0 after an orderly stop, 1 with one clear line otherwise."""
    asked = arguments()
    data = asked.data.resolve()
    signal.signal(signal.SIGINT, stop_on_signal)
    signal.signal(signal.SIGTERM, stop_on_signal)
    try:
        with occupied(data, web_port=asked.port) as home:
            if asked.command == "up":
                return keep_up(home)
            return run_demo(home, once=asked.once or not sys.stdout.isatty(), result_file=asked.json)
    except Stopped:
        print("Stopped.", flush=True)
        return 0 if asked.command == "up" else 130
    except (AlreadyRunning, StartFailed) as refusal:
        print(f"alldata: {refusal}", file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())
