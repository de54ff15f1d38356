"""Take in a day of windows, close it, and post windows over HTTP; print what it took as JSON."""

import json
import os
import subprocess
import sys
import time
from dataclasses import dataclass
from itertools import pairwise

from django.db import connection

from benchmarks.inside import fleet
from benchmarks.inside.closing import NOW
from benchmarks.inside.posting import post_rate
from costing.models import LedgerEntry
from monitoring.models import UsageFrame
from monitoring.services.ingest import ingest_windows

BATCH = 120


@dataclass(frozen=True, slots=True)
class Taken:
    """A day taken in: how many intervals, how fast, and the bytes they came to with their indexes."""

    intervals: int
    per_s: float
    bytes_each: float


def take_in(nodes: int) -> Taken:
    """The bulk path: windows of one agent, a batch a transaction. Making the values is not counted."""
    spent = 0.0
    for number in range(nodes):
        windows = list(fleet.windows_of_day(number))
        began = time.perf_counter()
        for at in range(0, len(windows), BATCH):
            ingest_windows(windows[at : at + BATCH], agent=fleet.node_name(number), now_ms=NOW)
        spent += time.perf_counter() - began
    intervals = UsageFrame.objects.count() * fleet.PER_WINDOW
    return Taken(intervals, intervals / spent, size_of("usage_frame%") / intervals)


def size_of(pattern: str) -> int:
    """Bytes of the tables whose name fits, indexes and TOAST included."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT sum(pg_total_relation_size(oid)) FROM pg_class WHERE relkind = 'r' AND relname LIKE %s", [pattern]
        )
        return int(cursor.fetchone()[0] or 0)


@dataclass(frozen=True, slots=True)
class Closed:
    """A day closed by `workers` processes: seconds, and the memory of all of them."""

    seconds: float
    workers: int
    rss_mb: int


def close_day(nodes: int) -> Closed:
    """As many workers as cores, each with its part of the nodes, as in production."""
    workers = os.cpu_count() or 1
    edges = [nodes * k // workers for k in range(workers + 1)]
    began = time.perf_counter()
    running = [
        subprocess.Popen(
            [sys.executable, "-m", "benchmarks.inside.closing", str(first), str(last)], stdout=subprocess.PIPE
        )
        for first, last in pairwise(edges)
    ]
    printed = [process.communicate()[0] for process in running]
    return Closed(time.perf_counter() - began, workers, sum(map(int, printed)))


def main(nodes: int, seconds: float) -> None:
    """Everything in order, on one database."""
    fleet.make_fleet(nodes)
    taken = take_in(nodes)
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")
    closed = close_day(nodes)
    answer = {
        "bulk_per_s": round(taken.per_s),
        "http_per_s": {"one": round(post_rate(1, seconds)), "ten": round(post_rate(10, seconds))},
        "close_day_s": round(closed.seconds, 1),
        "bytes_per_interval": round(taken.bytes_each, 1),
        "intervals": taken.intervals,
        "ledger_rows": LedgerEntry.objects.count(),
        "ledger_mb": round(size_of("ledger_entry") / 1e6, 1),
        "close_rss_mb": closed.rss_mb,
        "close_workers": closed.workers,
    }
    print(json.dumps(answer))


if __name__ == "__main__":
    main(int(sys.argv[1]), float(sys.argv[2]))
