"""A slow request is not a wrong clock, and a wrong clock is not hidden by a quick one."""

import json

import pytest

from alldata.agent.http import Answer
from alldata.agent.skew import least_skew_ms

DATE = {"date": "Sun, 29 Nov 2026 12:00:00 GMT"}
NOON = 1_795_953_600_000


def answer(sent: int, received: int, server: int) -> Answer:
    return Answer(200, json.dumps({"server_ms": server}).encode(), {}, sent, received)


@pytest.mark.parametrize(
    ("sent", "received", "server", "skew"),
    [
        (1_000, 9_000, 1_500, 0),  # slow on the way back
        (1_000, 9_000, 8_900, 0),  # slow on the way there
        (1_000, 1_100, 500, 500),  # we are ahead
        (1_000, 1_100, 7_000, -5_900),  # we are behind
    ],
)
def test_only_what_the_round_trip_cannot_explain_is_skew(sent: int, received: int, server: int, skew: int) -> None:
    assert least_skew_ms(answer(sent, received, server)) == skew


@pytest.mark.parametrize(("offset", "skew"), [(0, 0), (999, 0), (5_000, 4_000), (-3_000, -3_000)])
def test_a_date_counts_whole_seconds(offset: int, skew: int) -> None:
    assert least_skew_ms(Answer(400, b"", DATE, NOON + offset, NOON + offset)) == skew


def test_a_server_that_does_not_say_its_time() -> None:
    assert least_skew_ms(Answer(400, b"", {}, 1, 2)) is None
