"""What might an ended attempt leave behind, and how does it go?"""

import os
import signal
import time

from alldata.agent.shim.cgroups import Unconfined
from alldata.agent.shim.linux import descendants, kill

PATIENCE_S = 10.0


def kill_descendants(group: Unconfined) -> bool:
    """Kill and reap until nobody is left: a subreaper inherits every orphan. False on giving up."""
    group.forbid_forks()
    give_up_at = time.monotonic() + PATIENCE_S
    while time.monotonic() < give_up_at:
        group.kill_all()
        if _reaped_all():
            return True
        for process in descendants(os.getpid()):
            kill(process.pid, signal.SIGKILL)
        time.sleep(0.001)
    return False


def _reaped_all() -> bool:
    """Collect the dead; True when no child is left."""
    while True:
        try:
            pid, _ = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return True
        if pid == 0:
            return False


def remove_shared_memory(prefix: str) -> None:
    """Delete the attempt's names in /dev/shm: a killed server leaves them."""
    directory = "/dev/shm"
    for name in os.listdir(directory) if os.path.isdir(directory) else ():
        if name.startswith(prefix):
            os.unlink(os.path.join(directory, name))
