"""Why can this agent not register? One cause, and the command that mends it.

The checks follow the path of a registration, name by name: address, DNS, connection, TLS, the
answer (redirect, key, version), the clock. The first that fails is the cause; later ones are left.
"""

import socket
import ssl
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from pathlib import Path

from alldata.agent.clock import MAX_SKEW_MS, wall_ms
from alldata.agent.http import Address, Answer, Server, Unreachable
from alldata.agent.report import REGISTER_PATH, Outcome, judge
from alldata.agent.version import VERSION
from alldata.agent.wire import Envelope, Register, WireError, parse_ack, to_bytes

CONNECT_S = 5


@dataclass(frozen=True, slots=True)
class Finding:
    """One check: what was seen, and what to do when it is not well."""

    check: str
    ok: bool
    seen: str
    fix: str = ""


def examine(server: str, key_file: Path, name: str, facts: Register) -> Iterator[Finding]:
    """Findings in order; ends at the first that stops a registration."""
    try:
        address = Address.parse(server)
    except ValueError as fault:
        yield Finding("address", False, str(fault), "give the portal's address, with http:// or https://")
        return
    checks: list[Callable[[], Iterator[Finding]]] = [
        lambda: _key(key_file),
        lambda: _dns(address),
        lambda: _connection(address),
        lambda: _registration(address, key_file, Envelope(name, VERSION, wall_ms(), facts)),
    ]
    for check in checks:
        for finding in check():
            yield finding
            if not finding.ok:
                return


def _key(key_file: Path) -> Iterator[Finding]:
    try:
        key = key_file.read_text(encoding="ascii").strip()
    except (OSError, ValueError) as fault:
        yield Finding("key", False, f"{key_file}: {fault}", f"put the agent key into {key_file}")
        return
    yield Finding("key", bool(key), f"{key_file} holds {len(key)} characters", f"put the agent key into {key_file}")


def _dns(address: Address) -> Iterator[Finding]:
    try:
        found = socket.getaddrinfo(address.host, address.port, type=socket.SOCK_STREAM)
    except OSError as fault:
        yield Finding(
            "dns", False, f"{address.host}: {fault}", f"getent hosts {address.host}   # then mend DNS or /etc/hosts"
        )
        return
    yield Finding("dns", True, f"{address.host} is {', '.join(sorted({str(item[4][0]) for item in found}))}")


def _connection(address: Address) -> Iterator[Finding]:
    place = f"{address.host}:{address.port}"
    try:
        with socket.create_connection((address.host, address.port), timeout=CONNECT_S) as line:
            yield Finding("connection", True, f"{place} accepts connections")
            if address.secure:
                yield _tls(address, line)
    except ConnectionRefusedError:
        yield Finding(
            "connection", False, f"{place} refused", f"start the portal, or check the port in --server ({place})"
        )
    except TimeoutError:
        fix = f"open the firewall for {place}   # nothing answered within {CONNECT_S} s"
        yield Finding("connection", False, f"{place} does not answer", fix)
    except OSError as fault:
        yield Finding("connection", False, f"{place}: {fault}", f"ip route get {address.host}")


def _tls(address: Address, line: socket.socket) -> Finding:
    try:
        with ssl.create_default_context().wrap_socket(line, server_hostname=address.host) as secure:
            return Finding("tls", True, f"{secure.version()}")
    except ssl.SSLCertVerificationError as fault:
        fix = "install the issuing CA (update-ca-certificates), or set SSL_CERT_FILE"
        return Finding("tls", False, fault.verify_message, fix)
    except OSError as fault:
        return Finding("tls", False, str(fault), "use http:// where the portal does not speak TLS")


def _registration(address: Address, key_file: Path, message: Envelope) -> Iterator[Finding]:
    try:
        with Server(address, key_file) as server:
            answer = server.post(REGISTER_PATH, to_bytes(message))
    except Unreachable as fault:
        yield Finding("registration", False, str(fault), "check that the address is a portal and not another service")
        return
    verdict = judge(answer)
    if verdict.outcome is not Outcome.TAKEN:
        hint = "read the cause above" if verdict.outcome is Outcome.AGAIN else "check the address in --server"
        yield Finding("registration", False, verdict.cause, hint)
        return
    yield Finding("registration", True, f"accepted as {message.agent}, agent {VERSION}")
    yield _clock(answer)


def _clock(answer: Answer) -> Finding:
    skew = _skew_ms(answer)
    if skew is None:
        return Finding("clock", True, "the server did not say its time")
    return Finding("clock", abs(skew) <= MAX_SKEW_MS, f"{skew} ms from the server", "timedatectl set-ntp true")


def _skew_ms(answer: Answer) -> int | None:
    """From the answer's own stamp, else from its Date (whole seconds, so half a second is added)."""
    try:
        return wall_ms() - parse_ack(answer.body).server_ms
    except WireError:
        stamp = answer.headers.get("date", "")
    try:
        skew = wall_ms() - round(parsedate_to_datetime(stamp).timestamp() * 1000)
    except (ValueError, TypeError):
        return None
    return 0 if -MAX_SKEW_MS <= skew <= 1_000 + MAX_SKEW_MS else skew
