"""Do reasons read as sentences, with need, have and short in their units, in both languages?"""

import pytest
from django.utils import translation

from alldata.portal.sentences import ending, relaxation, shortfall, verdict, waiting
from alldata.portal.words import ENDINGS, JOB_STATES, LOOKS, WAITING
from scheduling.lifecycle import JobState

MISS = {
    "rule": "free", "node": "worker-0", "device": "GPU-1", "type": "gpu", "dimension": "hbm_bandwidth",
    "need": 1_400_000_000_000, "have": 1_008_000_000_000, "short": 392_000_000_000, "unit": "bytes/s",
}  # fmt: skip


def test_a_blocker_names_need_have_and_short_with_units() -> None:
    told = shortfall(MISS)
    assert (told["need"], told["have"], told["short"]) == ("1.4\u202fTB/s", "1.01\u202fTB/s", "392\u202fGB/s")


def test_a_queued_job_says_what_it_waits_for() -> None:
    assert waiting("waiting_free", {"nearest": MISS}) == "Waiting for HBM bandwidth"


def test_chinese_sets_a_space_around_latin() -> None:
    with translation.override("zh-hans"):
        assert waiting("waiting_free", {"nearest": MISS}) == "在等 HBM 带宽"


HEAD = {"head": "J-7", "start_ms": 1_795_000_200_000}


def test_who_is_held_back_hears_for_whom_and_until_when() -> None:
    told = waiting("waiting_backfill", HEAD, now_ms=1_795_000_000_000)
    assert told.startswith("Held back so that J-7, which starts about ") and told.endswith(" is not delayed")
    assert waiting("waiting_backfill", {}) == "Held back so that an earlier job is not delayed"


def test_the_head_hears_when_it_starts() -> None:
    told = waiting("waiting_free", {"nearest": MISS, **HEAD}, now_ms=1_795_000_000_000)
    assert told.startswith("Waiting for HBM bandwidth, starts by about ")


@pytest.mark.parametrize("reason", ENDINGS)
def test_every_ending_is_a_sentence_even_without_facts(reason: str) -> None:
    assert ending(reason, {}).endswith(".")


@pytest.mark.parametrize("reason", WAITING)
def test_every_wait_has_words_even_without_facts(reason: str) -> None:
    assert "%(" not in waiting(reason, {})


def test_a_proved_change_is_an_instruction() -> None:
    change = {"rule": "amount", "dimension": "hbm_bandwidth", "type": "gpu", "to": 10**12, "was": 14 * 10**11}
    assert relaxation(change) == "Lower HBM bandwidth to 1\u202fTB/s"


def test_a_verdict_names_the_figure_that_decided() -> None:
    reasons = [{"code": "p99", "outcome": "fail", "limit": 50.0, "got": 318.0, "unit": "ms"}]
    assert verdict("fail", {}, reasons) == "Fail: P99 latency, 318\u202fms, asked 50\u202fms."


def test_every_state_has_a_word_and_a_look() -> None:
    assert set(JOB_STATES) == {state.value for state in JobState} <= set(LOOKS)
