"""The doctor names one cause and the command that mends it."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from alldata.agent.doctor import Finding, examine
from alldata.agent.surroundings import wanted_proxy
from alldata.agent.wire import Register
from tests.pure.agent_portal import KEY, Portal, portal

FACTS = Register("n1", "boot", "boot:1", 1, (), (), 1000, 2000)


@pytest.fixture
def server() -> Iterator[Portal]:
    with portal() as found:
        yield found


def findings(tmp_path: Path, url: str, key: str = KEY) -> list[Finding]:
    (tmp_path / "key").write_text(key)
    return list(examine(url, tmp_path / "key", "n1", FACTS))


def test_a_healthy_path_is_all_ok(tmp_path: Path, server: Portal) -> None:
    found = findings(tmp_path, server.url)
    assert [finding.check for finding in found] == ["key", "dns", "connection", "registration", "clock"]
    assert all(finding.ok for finding in found)


def test_a_port_nobody_listens_on(tmp_path: Path) -> None:
    last = findings(tmp_path, "http://127.0.0.1:1")[-1]
    assert (last.check, last.ok) == ("connection", False)
    assert "refused" in last.seen


def test_a_name_nobody_knows(tmp_path: Path) -> None:
    last = findings(tmp_path, "http://no-such-host.invalid")[-1]
    assert (last.check, last.ok) == ("dns", False)


def test_a_wrong_key(tmp_path: Path, server: Portal) -> None:
    last = findings(tmp_path, server.url, "wrong")[-1]
    assert "check --key-file" in last.seen


def test_no_key_file(tmp_path: Path) -> None:
    last = list(examine("http://127.0.0.1:1", tmp_path / "none", "n1", FACTS))[-1]
    assert (last.check, last.ok) == ("key", False)


def test_tls_to_a_port_that_does_not_speak_it(tmp_path: Path, server: Portal) -> None:
    last = findings(tmp_path, server.url.replace("http:", "https:"))[-1]
    assert (last.check, last.ok) == ("tls", False)


def test_another_wire_version(tmp_path: Path, server: Portal) -> None:
    server.refuse_with, server.problem = 400, {"code": "wire_version_refused"}
    assert "install the agent that belongs to the server" in findings(tmp_path, server.url)[-1].seen


def test_an_address_that_is_none(tmp_path: Path) -> None:
    assert findings(tmp_path, "portal:8000")[0].check == "address"


def test_a_slow_portal_is_not_a_wrong_clock(tmp_path: Path, server: Portal) -> None:
    server.answer_after_s = 0.8
    assert findings(tmp_path, server.url)[-1].ok


@pytest.mark.parametrize(
    ("status", "headers", "check"),
    [
        (301, {"Location": "https://other.example/x"}, "redirect"),
        (407, {}, "proxy"),
        (503, {"X-Squid-Error": "ERR_DNS_FAIL 0"}, "proxy"),
        (403, {}, "key"),
        (500, {"Date": "Sun, 29 Nov 2020 12:00:00 GMT"}, "clock"),
        (404, {}, "registration"),
    ],
)
def test_the_answer_tells_the_cause(
    tmp_path: Path, server: Portal, status: int, headers: dict[str, str], check: str
) -> None:
    server.refuse_with, server.headers = status, headers
    last = findings(tmp_path, server.url)[-1]
    assert (last.check, last.ok) == (check, False)
    assert last.fix


def test_a_proxy_is_named_without_its_password() -> None:
    assert wanted_proxy({"https_proxy": "http://me:secret@proxy:3128"}) == "https_proxy=http://proxy:3128"
    assert wanted_proxy({}) is None


def test_a_redirect_names_the_address_to_use(tmp_path: Path, server: Portal) -> None:
    server.refuse_with, server.headers = 302, {"Location": "https://other.example:8443/api"}
    assert "--server https://other.example:8443" in findings(tmp_path, server.url)[-1].fix
