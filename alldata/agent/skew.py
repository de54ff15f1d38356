"""How wrong is this machine's clock, at least? A slow request must not look like a wrong clock.

The server stamps its answer somewhere between our sending and our receiving. So the difference of the clocks lies in a
span as long as the round trip; what is certain is only the part of it that is nearest to zero.
"""

from datetime import datetime
from email.utils import parsedate_to_datetime

from alldata.agent.http import Answer
from alldata.agent.wire import WireError, parse_ack

DATE_STEP_MS = 1_000  # a Date header counts whole seconds


def least_skew_ms(answer: Answer) -> int | None:
    """Milliseconds we are ahead (negative: behind) for certain; None where the server did not say its time."""
    try:
        stamp = parse_ack(answer.body).server_ms
        return _nearest_to_zero(answer.sent_ms - stamp, answer.received_ms - stamp)
    except WireError:
        told = _date_of(answer.headers.get("date", ""))
    if told is None:
        return None
    begun = round(told.timestamp() * 1000)
    return _nearest_to_zero(answer.sent_ms - begun - DATE_STEP_MS, answer.received_ms - begun)


def _nearest_to_zero(low: int, high: int) -> int:
    return low if low > 0 else min(high, 0)


def _date_of(text: str) -> datetime | None:
    try:
        return parsedate_to_datetime(text)
    except (ValueError, TypeError):
        return None
