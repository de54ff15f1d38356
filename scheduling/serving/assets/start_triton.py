"""Turn this process into a Triton server with the bundled binary and the right Python stub.

`python start_triton.py MODEL HTTP_PORT GRPC_PORT METRICS_PORT`, in the attempt's working directory.
The stub must be linked to the very libpython of the interpreter it runs, hence LD_LIBRARY_PATH; it
finds its packages through the first `python3` on PATH, which the engine has put there already.
"""

import os
import sys
import sysconfig
from importlib.util import find_spec
from pathlib import Path
from shutil import copy2

UNAVAILABLE = 69


def bundle() -> Path:
    """The folder of the server that came with its wheel."""
    package = find_spec("pytriton")
    if package is None or package.origin is None:
        sys.exit("Triton is not installed on this node: nvidia-pytriton is missing")
    return Path(package.origin).parent / "tritonserver"


def lay_backend(server: Path, target: Path) -> None:
    """A backend folder of our own, with the stub of this Python version."""
    version = f"{sys.version_info.major}.{sys.version_info.minor}"
    stub = server / "python_backend_stubs" / version / "triton_python_backend_stub"
    if not stub.exists():
        sys.exit(f"this Triton has no Python stub for Python {version}")
    target.mkdir(parents=True, exist_ok=True)
    for source in ("libtriton_python.so", "triton_python_backend_utils.py"):
        copy2(server / "backends" / "python" / source, target)
    copy2(stub, target)


def clear_shared_memory(prefix: str) -> None:
    """A killed server leaves its regions behind."""
    for region in Path("/dev/shm").glob(f"{prefix}*"):
        region.unlink()


def main(model: str, http: str, grpc: str, metrics: str) -> None:
    """Never returns: the server takes this process over, so signals reach it directly."""
    work, prefix, server = Path(os.environ["ALLDATA_WORK"]), os.environ["ALLDATA_SHM_PREFIX"], bundle()
    lay_backend(server, work / "backends" / "python")
    clear_shared_memory(prefix)
    libraries = [sysconfig.get_config_var("LIBDIR") or "", str(server.parents[1] / "nvidia_pytriton.libs")]
    os.environ["LD_LIBRARY_PATH"] = os.pathsep.join(filter(None, libraries))
    command = [
        str(server / "bin" / "tritonserver"),
        f"--model-repository={work / 'repository'}",
        f"--backend-directory={work / 'backends'}",
        "--model-control-mode=explicit",
        f"--load-model={model}",
        f"--http-port={http}",
        f"--grpc-port={grpc}",
        f"--metrics-port={metrics}",
        *(f"--{door}-address=127.0.0.1" for door in ("http", "grpc", "metrics")),
        "--allow-gpu-metrics=false",
        "--exit-on-error=true",
        "--exit-timeout-secs=3",
        f"--backend-config=python,shm-region-prefix-name={prefix}",
        "--backend-config=python,shm-default-byte-size=4194304",
        "--backend-config=python,stub-timeout-seconds=60",
    ]
    try:
        os.execv(command[0], command)
    except OSError as refusal:
        print(f"{command[0]}: {refusal}", file=sys.stderr)
        sys.exit(UNAVAILABLE)


if __name__ == "__main__":
    main(*sys.argv[1:5])
