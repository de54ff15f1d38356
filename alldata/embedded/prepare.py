"""Can this Python carry the platform, and if not, what is missing?

Run by make with the system's Python before anything is installed, so: standard library only, one line per problem.
`check` says whether this interpreter is complete; `venv DIR` makes it so where it may (apt as root or by sudo without a
password) and creates the virtual environment.
"""

import importlib.util
import os
import shutil
import subprocess
import sys
import sysconfig
import venv
from pathlib import Path

LOWEST, HIGHEST = (3, 11), (3, 13)
VERSION = f"{sys.version_info[0]}.{sys.version_info[1]}"


def libpython_is_here() -> bool:
    """Triton's Python backend loads libpython of exactly this build."""
    folder = Path(sysconfig.get_config_var("LIBDIR") or "/usr/lib")
    places = (folder, folder / (sysconfig.get_config_var("MULTIARCH") or ""))
    return any((place / f"libpython{VERSION}.so.1.0").exists() for place in places)


def missing_packages() -> list[str]:
    """The Debian packages that would complete this interpreter."""
    packages = []
    if importlib.util.find_spec("ensurepip") is None:
        packages.append(f"python{VERSION}-venv")
    if not libpython_is_here():
        packages.append(f"libpython{VERSION}")
    return packages


def privilege() -> list[str] | None:
    """How to run apt here: as we are, through sudo, or None when we may not."""
    if shutil.which("apt-get") is None:
        return None
    if os.geteuid() == 0:
        return []
    sudo = shutil.which("sudo")
    if sudo and subprocess.run([sudo, "-n", "true"], capture_output=True, check=False).returncode == 0:
        return [sudo, "-n"]
    return None


def install(packages: list[str]) -> bool:
    """Install Debian packages without questions; False when we may not or it failed."""
    prefix = privilege()
    if prefix is None:
        return False
    apt = [*prefix, "env", "DEBIAN_FRONTEND=noninteractive", "apt-get"]
    command = [*apt, "install", "-y", "-qq", "--no-install-recommends", *packages]
    if subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False).returncode == 0:
        return True
    subprocess.run([*apt, "update", "-qq"], stdout=subprocess.DEVNULL, check=False)
    return subprocess.run(command, stdout=subprocess.DEVNULL, check=False).returncode == 0


def main(arguments: list[str]) -> int:
    """Exit 0 when complete (or made so), 1 with one line otherwise."""
    if not LOWEST <= sys.version_info[:2] <= HIGHEST:
        print(f"Python {VERSION} does not fit: 3.11, 3.12 or 3.13 is needed (apt-get install python3)")
        return 1
    missing = missing_packages()
    if arguments[:1] == ["check"]:
        return 1 if missing else 0
    if missing and not install(missing):
        print(f"Missing beside {sys.executable}: please run  apt-get install {' '.join(missing)}")
        return 1
    venv.create(arguments[1], with_pip=True, clear=True)
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
