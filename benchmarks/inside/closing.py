"""Book every node-hour of a day for some of the nodes: what one worker does. Prints its peak memory in MB."""

import resource
import sys

from alldata.kernel.intervals import DAY_MS, HOUR_MS
from benchmarks.inside import fleet
from costing.services.ledger import book_hour

NOW = fleet.DAY + DAY_MS + HOUR_MS


def close_day(first: int, last: int) -> None:
    """Nodes first..last-1, hour by hour, as their closes fall due."""
    for hour_ms in range(fleet.DAY, fleet.DAY + DAY_MS, HOUR_MS):
        for number in range(first, last):
            book_hour(fleet.node_name(number), hour_ms, now_ms=NOW)


if __name__ == "__main__":
    close_day(int(sys.argv[1]), int(sys.argv[2]))
    print(round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1000))
