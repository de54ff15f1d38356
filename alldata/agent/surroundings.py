"""Does something around the agent stand between it and the portal: a proxy, SELinux, a stranger that answers?

The agent talks to the portal directly. Where the network wants a proxy, that shows as silence or a stranger's answer.
"""

import os
from collections.abc import Mapping

from alldata.agent.http import Address, Answer
from alldata.agent.probe.tree import Tree

_VARIABLES = ("https_proxy", "http_proxy", "all_proxy", "HTTPS_PROXY", "HTTP_PROXY", "ALL_PROXY")
_MARKS = ("proxy-authenticate", "x-squid-error", "x-bluecoat-via", "x-cache-lookup", "proxy-connection")


def wanted_proxy(environment: Mapping[str, str] | None = None) -> str | None:
    """`https_proxy=http://...` where the operator's surroundings name a proxy; its password is left out."""
    known = os.environ if environment is None else environment
    for name in _VARIABLES:
        if known.get(name):
            scheme, joint, rest = known[name].rpartition("://")
            return f"{name}={scheme}{joint}{rest.rpartition('@')[2]}"
    return None


def proxy_that_answered(answer: Answer) -> str | None:
    """How we know that a proxy answered instead of the portal."""
    if answer.status == 407:
        return "a proxy answered and wants a password (HTTP 407)"
    mark = next((name for name in _MARKS if name in answer.headers), None)
    if mark and answer.status >= 400:
        return f"a proxy answered (HTTP {answer.status}, header {mark})"
    return None


def around_proxy(address: Address) -> str:
    """The command that takes the proxy out of the way."""
    return f"export no_proxy={address.host}   # and let {address.host}:{address.port} pass the firewall directly"


def selinux_enforces(tree: Tree) -> bool:
    return tree.text("sys/fs/selinux/enforce") == "1"


def selinux_fix(path: str | None = None) -> str:
    """How to see what was denied, and the usual mending."""
    look = "ausearch -m avc -ts recent | audit2why"
    return f"restorecon -v {path}   # then: {look}" if path else f"{look}   # then: setsebool -P nis_enabled 1"


def speaks_tls_only(answer: Answer) -> bool:
    """Plain HTTP sent to a TLS port: servers say so in words."""
    return answer.status == 400 and b"HTTPS port" in answer.body
