"""Why can this agent not register? One cause, and the command that mends it.

The checks follow the path of a registration, name by name: address, DNS, connection, TLS, the
answer (proxy, redirect, key, version), the clock. The first that fails is the cause; later ones are left.
"""

import os
import socket
import ssl
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from alldata.agent import surroundings
from alldata.agent.clock import MAX_SKEW_MS, wall_ms
from alldata.agent.http import Address, Answer, Server, Unreachable
from alldata.agent.probe.tree import Tree
from alldata.agent.report import REGISTER_PATH, Outcome, judge
from alldata.agent.skew import least_skew_ms
from alldata.agent.version import VERSION
from alldata.agent.wire import Envelope, Register, to_bytes

CONNECT_S = 5
HERE = Tree()
NTP = "timedatectl set-ntp true"


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
    fix = f"put the agent key into {key_file}"
    try:
        key = key_file.read_text(encoding="ascii").strip()
    except PermissionError as fault:
        if surroundings.selinux_enforces(HERE) and os.access(key_file.parent, os.X_OK):
            yield Finding("selinux", False, f"{fault}, and SELinux enforces", surroundings.selinux_fix(str(key_file)))
        else:
            yield Finding("key", False, f"{fault}", f"chown {os.getuid()} {key_file} && chmod 600 {key_file}")
        return
    except (OSError, ValueError) as fault:
        yield Finding("key", False, f"{key_file}: {fault}", fix)
        return
    yield Finding("key", bool(key), f"{key_file} holds {len(key)} characters", fix)


def _dns(address: Address) -> Iterator[Finding]:
    try:
        found = socket.getaddrinfo(address.host, address.port, type=socket.SOCK_STREAM)
    except OSError as fault:
        fix = f"getent hosts {address.host}   # then mend DNS or /etc/hosts"
        yield _through_proxy(address) or Finding("dns", False, f"{address.host}: {fault}", fix)
        return
    yield Finding("dns", True, f"{address.host} is {', '.join(sorted({str(item[4][0]) for item in found}))}")


def _through_proxy(address: Address) -> Finding | None:
    """Where the surroundings name a proxy, silence is its doing: the agent goes directly."""
    proxy = surroundings.wanted_proxy()
    if proxy is None or address.host in ("localhost", "127.0.0.1", "::1"):
        return None
    seen = f"{address.host} cannot be reached directly, and {proxy} is set"
    return Finding("proxy", False, seen, surroundings.around_proxy(address))


def _connection(address: Address) -> Iterator[Finding]:
    place = f"{address.host}:{address.port}"
    try:
        with socket.create_connection((address.host, address.port), timeout=CONNECT_S) as line:
            yield Finding("connection", True, f"{place} accepts connections")
            if address.secure:
                yield _tls(address, line)
    except ConnectionRefusedError:
        fix = f"start the portal, or check the port in --server ({place})"
        yield Finding("connection", False, f"{place} refused", fix)
    except TimeoutError:
        fix = f"firewall-cmd --list-all   # open {place}; nothing answered within {CONNECT_S} s"
        yield _through_proxy(address) or Finding("firewall", False, f"{place} does not answer", fix)
    except PermissionError as fault:
        if surroundings.selinux_enforces(HERE):
            yield Finding("selinux", False, f"{place}: {fault}, and SELinux enforces", surroundings.selinux_fix())
        else:
            yield Finding("firewall", False, f"{place}: {fault}", "nft list ruleset   # a local rule rejects it")
    except OSError as fault:
        yield _through_proxy(address) or Finding(
            "connection", False, f"{place}: {fault}", f"ip route get {address.host}"
        )


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
        yield _refused(address, answer, verdict.cause)
        return
    yield Finding("registration", True, f"accepted as {message.agent}, agent {VERSION}")
    yield _clock(answer)


def _refused(address: Address, answer: Answer, cause: str) -> Finding:
    """The one cause behind an answer that is not a yes."""
    proxy = surroundings.proxy_that_answered(answer)
    if proxy:
        return Finding("proxy", False, proxy, surroundings.around_proxy(address))
    if 300 <= answer.status < 400:
        target = urlsplit(answer.headers.get("location", ""))
        where = f"{target.scheme}://{target.netloc}" if target.netloc else "the address it names"
        return Finding("redirect", False, cause, f"alldata-agent doctor --server {where} ...")
    if surroundings.speaks_tls_only(answer):
        return Finding("tls", False, cause, f"alldata-agent doctor --server https://{address.host}:{address.port} ...")
    if answer.status in (401, 403):
        return Finding("key", False, cause, "make a new key in the portal (Agents) and write it into the key file")
    return _refused_in_words(answer, cause)


def _refused_in_words(answer: Answer, cause: str) -> Finding:
    """The portal's own refusal of a message that reached it."""
    if "wire version" in cause:
        fix = f"pip install 'alldata==<the server's version>'   # this is {VERSION}"
        return Finding("version", False, cause, fix)
    skew = least_skew_ms(answer)
    if skew is not None and abs(skew) > MAX_SKEW_MS:
        return Finding("clock", False, f"{skew} ms from the server or more; {cause}", NTP)
    hint = "read the cause above" if answer.status != 404 else "check the address in --server"
    return Finding("registration", False, cause, hint)


def _clock(answer: Answer) -> Finding:
    skew = least_skew_ms(answer)
    if skew is None:
        return Finding("clock", True, "the server did not say its time")
    seen = f"{skew} ms from the server or more" if skew else "as the server's, as far as the round trip lets us see"
    return Finding("clock", abs(skew) <= MAX_SKEW_MS, seen, NTP)
