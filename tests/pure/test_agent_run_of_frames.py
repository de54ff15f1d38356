"""After an outage frames travel together: fewer posts, the same frames, and no counter that goes back."""

import os
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from alldata.agent.http import Address, Server
from alldata.agent.report import MOST_TOGETHER, Reporter
from alldata.agent.spool import Spool
from alldata.agent.wire import Frame, Register
from tests.pure.agent_portal import KEY, Portal, portal

FACTS = Register("n1", "boot", "boot:1", 1, (), (), 1000, 2000)
FRAMES = 250


@pytest.fixture
def server() -> Iterator[Portal]:
    with portal() as found:
        yield found


@pytest.fixture
def spool(tmp_path: Path) -> Spool:
    found = Spool(tmp_path / "spool")
    found.next_start(0)
    append(found, 1, FRAMES)
    return found


def append(spool: Spool, first: int, last: int, epoch: str = "boot:1") -> None:
    for seq in range(first, last + 1):
        spool.append(Frame(epoch, seq, seq * 1000, seq * 1000 + 1000), {"a": {"cpu_us": seq}})


@pytest.fixture
def reporter(server: Portal, spool: Spool, tmp_path: Path) -> Reporter:
    (tmp_path / "key").write_text(KEY)
    return Reporter(Server(Address.parse(server.url), tmp_path / "key"), spool, "n1", FACTS)


def seqs(server: Portal) -> list[int]:
    return sorted(seq for _, _, seq in server.frames)


def test_a_spool_is_emptied_with_few_posts(reporter: Reporter, server: Portal, spool: Spool) -> None:
    reporter.step()
    assert (seqs(server), server.duplicates, spool.depth) == (list(range(1, FRAMES + 1)), 0, 0)
    assert server.posts == ["register", *["frames"] * -(-FRAMES // MOST_TOGETHER)]


def test_one_waiting_frame_travels_as_ever(reporter: Reporter, server: Portal, spool: Spool) -> None:
    reporter.step()
    append(spool, FRAMES + 1, FRAMES + 1)
    reporter.step()
    assert server.posts[-1] == "frame"


def test_a_frame_that_is_refused_is_set_aside_alone(reporter: Reporter, server: Portal, spool: Spool) -> None:
    server.refused = {120}
    reporter.step()
    assert "frame" in server.posts
    assert (120 in seqs(server), spool.depth) == (True, 0)  # alone it is judged by itself; the stand-in takes it
    assert len(seqs(server)) == FRAMES


def test_a_server_that_knows_no_runs_gets_every_frame_alone(reporter: Reporter, server: Portal, spool: Spool) -> None:
    server.knows_runs = False
    reporter.step()
    assert (seqs(server), spool.depth) == (list(range(1, FRAMES + 1)), 0)
    assert not list((spool.directory / "rejected").iterdir())


def test_a_lost_answer_repeats_a_run_and_loses_nothing(reporter: Reporter, server: Portal, spool: Spool) -> None:
    server.hang_up = 2
    for _ in range(3):
        reporter.step()
    assert (seqs(server), spool.depth) == (list(range(1, FRAMES + 1)), 0)
    assert server.duplicates > 0


def test_a_run_ends_where_an_epoch_does(spool: Spool) -> None:
    spool.starts += 1
    append(spool, 1, 3, "boot:2")
    spool.settle_run(spool.oldest_run(FRAMES - 1))
    assert len(spool.oldest_run(100).names) == 1
    spool.settle_run(spool.oldest_run(100))
    assert [one["epoch"] for one in spool.oldest_run(100).frames] == ["boot:2"] * 3


def test_a_run_is_bounded_in_bytes(spool: Spool) -> None:
    assert 1 < len(spool.oldest_run(100, room=1000).names) < 20


def test_a_run_stops_before_what_cannot_be_read(spool: Spool) -> None:
    (spool.directory / "frames" / f"{spool.starts:010d}-{5:012d}.json").write_bytes(b"\0" * 50)
    assert len(spool.oldest_run(100).names) == 4


class _PowerCut(Exception):
    """Nothing more is written."""


def cut_after(patch: pytest.MonkeyPatch, done: int) -> None:
    """Every unlink, rename and sync may be the last thing that happened."""
    left = [done]

    def stopping(real: Callable[..., object]) -> Callable[..., object]:
        def act(*words: object, **named: object) -> object:
            left[0] -= 1
            if left[0] < 0:
                raise _PowerCut
            return real(*words, **named)

        return act

    for name in ("unlink", "replace", "fsync"):
        patch.setattr(os, name, stopping(getattr(os, name)))


@pytest.mark.parametrize("done", range(6))
def test_counters_never_go_back_wherever_settling_is_cut(tmp_path: Path, done: int) -> None:
    spool = Spool(tmp_path / "small")
    spool.next_start(0)
    append(spool, 1, 4)
    with pytest.MonkeyPatch.context() as patch, suppress(_PowerCut):
        cut_after(patch, done)
        spool.settle_run(spool.oldest_run(10))
    spool.close()
    again = Spool(spool.directory)
    assert again.reported == {"a": {"cpu_us": 4}}
    again.settle_run(again.oldest_run(10))
    again.close()
    assert Spool(spool.directory).reported == {"a": {"cpu_us": 4}}
