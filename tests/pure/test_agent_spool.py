"""The spool: durable, in order, bounded, and never two answers to "what was reported?"."""

import json
from pathlib import Path

import pytest

from alldata.agent.spool import MAX_REJECTED, Spool, SpoolBusy, Waiting
from alldata.agent.wire import Frame


def frame(seq: int) -> Frame:
    return Frame("b:1", seq, seq * 1000, seq * 1000 + 1000)


def filled(directory: Path, count: int) -> Spool:
    spool = Spool(directory)
    spool.next_start(0)
    for seq in range(1, count + 1):
        spool.append(frame(seq), {"a": {"cpu_us": seq}})
    return spool


def reopened(spool: Spool) -> Spool:
    spool.close()
    return Spool(spool.directory)


def next_of(spool: Spool) -> Waiting:
    waiting = spool.oldest()
    assert waiting is not None
    return waiting


def test_frames_leave_in_the_order_they_came_also_after_a_restart(tmp_path: Path) -> None:
    spool = reopened(filled(tmp_path, 12))
    seen = []
    while waiting := spool.oldest():
        seen.append(waiting.frame)
        spool.settle(waiting)
    assert seen == [frame(seq) for seq in range(1, 13)]


@pytest.mark.parametrize("settled", [0, 1, 3])
def test_the_counters_of_the_newest_frame_survive_whatever_was_settled(tmp_path: Path, settled: int) -> None:
    spool = filled(tmp_path, 3)
    for _ in range(settled):
        spool.settle(next_of(spool))
    assert reopened(spool).reported == {"a": {"cpu_us": 3}}
    assert spool.last_end_ms == 4000


def test_every_start_has_a_number_of_its_own(tmp_path: Path) -> None:
    spool = filled(tmp_path, 1)
    assert [spool.starts, reopened(spool).next_start(0)] == [1, 2]


def test_the_start_count_survives_the_loss_of_its_file(tmp_path: Path) -> None:
    spool = filled(tmp_path, 1)
    (tmp_path / "starts.json").write_text("torn")
    assert reopened(spool).next_start(0) == 2


def test_an_epoch_never_comes_again_even_when_the_spool_was_deleted(tmp_path: Path) -> None:
    before = Spool(tmp_path / "a").next_start(1_000_000)
    assert Spool(tmp_path / "b").next_start(1_001_000) > before


def test_a_draft_that_was_never_renamed_counts_for_nothing(tmp_path: Path) -> None:
    spool = filled(tmp_path, 1)
    (tmp_path / "frames" / ".0000000001-000000000002.json.new").write_text('{"reported": {"a": {"cpu_us": 99}}')
    assert reopened(spool).reported == {"a": {"cpu_us": 1}}


def test_a_full_spool_says_so(tmp_path: Path) -> None:
    filled(tmp_path, 3).close()
    assert not Spool(tmp_path, max_frames=3).has_room


def test_refused_frames_are_kept_but_not_without_end(tmp_path: Path) -> None:
    spool = filled(tmp_path, MAX_REJECTED + 5)
    while waiting := spool.oldest():
        spool.settle(waiting, rejected=True)
    kept = sorted(path.name for path in (tmp_path / "rejected").iterdir())
    assert len(kept) == MAX_REJECTED
    assert kept[-1].endswith(f"{MAX_REJECTED + 5:012d}.json")


def test_a_refused_frame_is_not_metered_again(tmp_path: Path) -> None:
    spool = filled(tmp_path, 1)
    spool.settle(next_of(spool), rejected=True)
    assert reopened(spool).reported == {"a": {"cpu_us": 1}}


def test_a_torn_frame_is_set_aside_and_the_older_counters_hold(tmp_path: Path) -> None:
    spool = filled(tmp_path, 2)
    (tmp_path / "frames" / "0000000001-000000000002.json").write_bytes(b"\0" * 100)
    spool = reopened(spool)
    assert spool.reported == {"a": {"cpu_us": 1}}
    spool.settle(next_of(spool))
    assert next_of(spool).frame is None
    spool.settle(next_of(spool), rejected=True)
    assert (spool.oldest(), reopened(spool).reported) == (None, {"a": {"cpu_us": 1}})


def test_two_agents_cannot_share_a_spool(tmp_path: Path) -> None:
    first = Spool(tmp_path)
    with pytest.raises(SpoolBusy, match="another agent"):
        Spool(tmp_path)
    first.close()


def test_nonsense_in_the_settled_file_is_an_empty_table(tmp_path: Path) -> None:
    (tmp_path / "settled.json").write_text(json.dumps({"reported": {"a": 5, "b": {"cpu_us": "x"}}, "frame": 3}))
    assert Spool(tmp_path).reported == {"b": {}}
