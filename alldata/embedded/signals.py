"""How do Ctrl-C and SIGTERM end us? By unwinding once to the orderly stop; a second signal cannot break into it."""

import signal
from types import FrameType


class Stopped(BaseException):
    """A stop was asked for. Not an Exception: nothing on the way may mistake it for a failure."""


def stop_on_signal(number: int, frame: FrameType | None) -> None:
    """Raise `Stopped` in the main thread, and be deaf to further signals from then on."""
    for one in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(one, signal.SIG_IGN)
    raise Stopped(number)


def listen() -> None:
    """Take the three signals that mean "end": from the terminal, from a manager, from a closed terminal."""
    for one in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(one, stop_on_signal)
