"""Which ports do the embedded parts listen on? Chosen free once, kept in the data directory, renewed when taken."""

import json
import socket
from pathlib import Path

NAMES = ("postgres", "valkey", "web")


def free_port() -> int:
    """A port that nobody listens on at this moment."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def is_free(port: int) -> bool:
    """True when we could listen on it now; connections in TIME_WAIT do not count."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            return False
    return True


def settle_ports(data_dir: Path, *, web: int | None = None) -> dict[str, int]:
    """The ports of this data directory: as recorded, as given, or new where another program has taken one."""
    file = data_dir / "ports.json"
    known: dict[str, int] = json.loads(file.read_text()) if file.exists() else {}
    ports: dict[str, int] = {}
    for name in NAMES:
        port = web if name == "web" and web else known.get(name)
        if port is None or (port != web and not is_free(port)):
            port = free_port()
        ports[name] = port
    if ports != known:
        file.write_text(json.dumps(ports))
    return ports
