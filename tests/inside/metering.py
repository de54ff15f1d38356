"""Take windows in and book them until killed; `python -m tests.inside.metering` with a test's DATABASE_URL."""

from alldata.kernel.intervals import Interval
from costing.services.ledger import book_hour
from tests.fleet import AGENT, HOUR, LATER, take, window

WINDOWS, LENGTH_MS = 300, 10_000


def windows_of_test() -> list[tuple[int, Interval, int]]:
    """Sequence, span and usage of each window."""
    spans = (Interval(HOUR + k * LENGTH_MS, HOUR + (k + 1) * LENGTH_MS) for k in range(WINDOWS))
    return [(k, span, (k * 7919 % 1000) * 10**9 * LENGTH_MS) for k, span in enumerate(spans)]


if __name__ == "__main__":
    print("begun", flush=True)
    for seq, span, q in windows_of_test():
        take(window(seq, span, q))
        if seq % 3 == 0:
            book_hour(AGENT, HOUR, now_ms=LATER)
