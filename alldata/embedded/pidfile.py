"""Whose is the database server's pid file after a crash? Its own, a zombie's, or by now a stranger's."""

import time
from pathlib import Path


def settle_pid_file(file: Path, *, timeout_s: float = 10.0) -> None:
    """After a crash: wait while the old server is a zombie, and drop a file whose pid is somebody else now.

    A file of a dead pid is left alone: the server removes that itself. A live server keeps its file, and wins.
    """
    give_up = time.monotonic() + timeout_s
    while file.exists() and time.monotonic() < give_up:
        try:
            pid = int(file.read_text().split()[0])
            state = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0]
            program = Path(f"/proc/{pid}/cmdline").read_bytes()
        except (OSError, IndexError, ValueError):
            return
        if state != "Z" and b"postgres" not in program:
            file.unlink()
            return
        time.sleep(0.1)
