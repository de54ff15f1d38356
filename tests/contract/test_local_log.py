"""The log keeps what matters and its offsets stay true."""

from dataclasses import replace

from tests.contract.engines import BLANK, Local


def test_a_flood_keeps_its_first_and_last_bytes_at_true_offsets(local: Local) -> None:
    program = "import sys\nfor i in range(200_000): sys.stdout.write(f'{i:09d}\\n')"
    local.run("a", program, replace(BLANK, log_limit_bytes=64 * 1024))
    kept = sum(path.stat().st_size for path in (local.runs / "a").glob("log.[0-9]*"))
    assert kept <= 64 * 1024
    assert local.executor.read_log("a", after=0, limit=10).text == "000000000\n"
    last = local.executor.read_log("a", after=-10, limit=10)
    assert (last.text, last.offset, last.total) == ("000199999\n", 1_999_990, 2_000_000)
    gap = local.executor.read_log("a", after=1_000_000, limit=10)
    line, place = divmod(gap.offset, 10)
    assert gap.offset > 1_000_000 and gap.text == f"{line:09d}\n{line + 1:09d}\n"[place : place + 10]
    assert gap.dropped == 2_000_000 - kept


def test_a_character_cut_by_the_limit_is_read_next_time(local: Local) -> None:
    local.run("a", "import sys; sys.stdout.buffer.write('\u6570\u636e'.encode())")
    first = local.executor.read_log("a", after=0, limit=4)
    assert (first.text, first.next_offset) == ("\u6570", 3)
    assert local.executor.read_log("a", after=3, limit=4).text == "\u636e"
