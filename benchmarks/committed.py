"""How fast do placements reach the database, in batches, one by one, and in whole rounds of the service?

    python -m benchmarks.committed --json [--nodes 5000] [--jobs 10000]

On a PostgreSQL and a Valkey of its own (backing.py), with their durable defaults; what is measured is said in
inside/committed.py. `throughput` takes its `committed` from here.
"""

import argparse
import json
import sys
from collections.abc import Sequence
from typing import Any

from benchmarks.backing import run_inside

NODES, JOBS = 5000, 10_000


def measure(nodes: int, jobs: int) -> dict[str, Any]:
    """What inside/committed.py prints, measured on a fresh database."""
    answer: dict[str, Any] = json.loads(run_inside("committed", str(nodes), str(jobs)).splitlines()[-1])
    return answer


def main(argv: Sequence[str] | None = None) -> int:
    """Run and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", help="not needed here; every benchmark takes it")
    parser.add_argument("--nodes", type=int, default=NODES)
    parser.add_argument("--jobs", type=int, default=JOBS)
    parser.add_argument("--json", action="store_true", help="the JSON object alone")
    options = parser.parse_args(argv)
    print(json.dumps(measure(options.nodes, options.jobs), indent=None if options.json else 1))
    return 0


if __name__ == "__main__":
    sys.exit(main())
