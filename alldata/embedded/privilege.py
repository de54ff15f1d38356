"""How does root run a program that refuses to be root? In a user namespace, or as nobody where those are locked."""

import ctypes
import os
from pathlib import Path

_CLONE_NEWUSER = 0x10000000
_NOBODY = 65534
_LIBC = ctypes.CDLL(None, use_errno=True)


def enter_user_namespace() -> None:
    """Be uid 1000 in a namespace of our own: no system user, no chmod, and the files stay root's."""
    if _LIBC.unshare(_CLONE_NEWUSER):
        raise OSError(ctypes.get_errno(), "unshare refused a user namespace")
    for name, content in (("setgroups", "deny"), ("uid_map", "1000 0 1"), ("gid_map", "1000 0 1")):
        Path("/proc/self", name).write_text(content)


def become_nobody() -> None:
    """The way where user namespaces are locked: the files must then belong to nobody (see `give_to_nobody`)."""
    os.setgroups([])
    os.setgid(_NOBODY)
    os.setuid(_NOBODY)


def user_namespaces_work() -> bool:
    """Try it in a child that does nothing else."""
    pid = os.fork()
    if pid == 0:
        os._exit(1 if _LIBC.unshare(_CLONE_NEWUSER) else 0)
    return os.waitpid(pid, 0)[1] == 0


def give_to_nobody(directory: Path) -> None:
    """Hand a directory over where root cannot use a user namespace; nothing to do anywhere else."""
    if os.geteuid() == 0 and not user_namespaces_work():
        directory.parent.chmod(0o711)  # to be passed through, not to be listed
        for path in (directory, *directory.rglob("*")):
            os.chown(path, _NOBODY, _NOBODY, follow_symlinks=False)
