"""How the server's answers are taken: settle, reject, register again, or wait and say why."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from alldata.agent.http import Address, Answer, Server, Unreachable
from alldata.agent.report import BACK_OFF_MS, Outcome, Reporter, judge
from alldata.agent.spool import Spool
from alldata.agent.wire import Frame, Register
from tests.pure.agent_portal import KEY, Portal, portal

FACTS = Register("n1", "boot", "boot:1", 1, (), (), 1000, 2000)


@pytest.fixture
def server() -> Iterator[Portal]:
    with portal() as found:
        yield found


@pytest.fixture
def spool(tmp_path: Path) -> Spool:
    found = Spool(tmp_path / "spool")
    found.next_start(0)
    for seq in (1, 2):
        found.append(Frame("boot:1", seq, seq, seq + 1), {})
    return found


@pytest.fixture
def reporter(server: Portal, spool: Spool, tmp_path: Path) -> Reporter:
    (tmp_path / "key").write_text(KEY)
    return Reporter(Server(Address.parse(server.url), tmp_path / "key"), spool, "n1", FACTS)


def test_it_registers_first_and_then_sends_in_order(reporter: Reporter, server: Portal, spool: Spool) -> None:
    reporter.step()
    assert server.registrations == [FACTS]
    assert [seq for _, _, seq in server.frames] == [1, 2]
    assert spool.depth == 0


def test_a_refused_frame_does_not_hold_up_the_others(reporter: Reporter, server: Portal, spool: Spool) -> None:
    reporter.step()
    spool.append(Frame("boot:1", 3, 3, 4), {})
    server.refuse_with = 422
    reporter.step()
    assert spool.depth == 0
    assert len(list((spool.directory / "rejected").iterdir())) == 1


@pytest.mark.parametrize("status", [401, 403, 404, 409, 426, 429, 500, 503, 302])
def test_an_answer_about_anything_but_the_frame_keeps_it(
    reporter: Reporter, server: Portal, spool: Spool, status: int
) -> None:
    server.refuse_with = status
    rests = [reporter.step() for _ in BACK_OFF_MS]
    assert spool.depth == 2
    assert rests[-1] > rests[0]
    server.refuse_with = None
    reporter.step()
    assert spool.depth == 0


def test_a_server_that_does_not_know_us_gets_the_facts_again(reporter: Reporter, server: Portal, spool: Spool) -> None:
    reporter.step()
    spool.append(Frame("boot:1", 3, 3, 4), {})
    server.refuse_with = 409
    reporter.step()
    server.refuse_with = None
    reporter.step()
    assert len(server.registrations) == 2
    assert spool.depth == 0


def test_a_new_key_is_taken_up_without_a_restart(
    reporter: Reporter, server: Portal, spool: Spool, tmp_path: Path
) -> None:
    (tmp_path / "key").write_text("wrong")
    reporter.step()
    assert spool.depth == 2
    (tmp_path / "key").write_text(KEY)
    reporter.step()
    assert spool.depth == 0


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (Answer(401), "check --key-file"),
        (Answer(301, headers={"location": "https://x/"}), "redirected to https://x/"),
        (Answer(426), "install the agent"),
        (Answer(409, b'{"code": "agent_version_refused"}'), "install the agent"),
        (Answer(422, b'{"code": "bad_message", "facts": {"path": "wire"}}'), "install the agent"),
        (Answer(422, b'{"code": "bad_frame_time", "facts": {"end_ms": 900, "now_ms": 200}}'), "700 ms ahead"),
        (Answer(503, b'{"code": "starting", "detail": "soon"}'), "HTTP 503 starting: soon"),
        (Answer(500, b"<html>"), "HTTP 500"),
    ],
)
def test_the_cause_is_said_in_words(answer: Answer, words: str) -> None:
    verdict = judge(answer)
    assert verdict.outcome is Outcome.AGAIN
    assert words in verdict.cause


@pytest.mark.parametrize(
    "answer",
    [
        Answer(422, b'{"code": "bad_message", "facts": {"path": "body.seq"}}'),
        Answer(422, b'{"code": "bad_frame_time", "facts": {"end_ms": 1, "now_ms": 200}}'),
        Answer(409, b'{"code": "frame_overlaps"}'),
    ],
)
def test_a_fault_of_the_frame_itself_refuses_it(answer: Answer) -> None:
    assert judge(answer).outcome is Outcome.REFUSED


def test_nobody_listening_is_unreachable(tmp_path: Path) -> None:
    with pytest.raises(Unreachable, match="Refused"):
        Server(Address.parse("http://127.0.0.1:1"), None).post("/", b"")


@pytest.mark.parametrize("url", ["localhost:80", "ftp://x", "", "http://"])
def test_an_address_that_is_none_is_said_so(url: str) -> None:
    with pytest.raises(ValueError, match="is not an address"):
        Address.parse(url)
