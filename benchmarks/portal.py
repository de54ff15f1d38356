"""How fast are jobs taken in, lists and heatmap shown, facts told, and jobs started?

    python -m benchmarks.portal --json [--jobs 1000000] [--seconds 4] [--rounds 3] [--no-start]

Real HTTP over kept connections against gunicorn (two workers of eight threads) on a PostgreSQL and a Valkey of its own,
load generator included on the same cores. Answer: {submissions: {room, full: {per_s, p50_ms, p99_ms, cpu_ms}, queries},
pages: {view: {one_p95_ms, eight_p95_ms}}, heatmap: {first_bytes, again_bytes, p95_ms, cells}, relay: {per_s,
idle_p50_ms, idle_p99_ms}, start: {p50_ms, p99_ms}}. What each figure is: inside/portal.py; `start` and the relay's
latencies are those of a whole embedded platform that does nothing else (starting.py). Rates and latencies are medians
of `rounds` runs.
"""

import argparse
import json
from typing import Any

from benchmarks.backing import run_inside
from benchmarks.starting import measure


def main() -> None:
    """Run it and print the answer."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", help="not needed here; every benchmark takes it")
    parser.add_argument("--json", action="store_true", help="the JSON object alone")
    parser.add_argument("--jobs", type=int, default=1_000_000, help="rows in the table of jobs")
    parser.add_argument("--seconds", type=float, default=4.0, help="of one run of a rate")
    parser.add_argument("--rounds", type=int, default=3, help="runs of which the median is told")
    parser.add_argument("--no-start", action="store_true", help="leave the embedded platform out")
    asked = parser.parse_args()
    words = (str(asked.jobs), str(asked.seconds), str(asked.rounds))
    found: dict[str, Any] = json.loads(run_inside("portal", *words).splitlines()[-1])
    if not asked.no_start:
        started = measure()
        found["start"] = started["start"]
        found["relay"] |= started["relay"]
    print(json.dumps(found, indent=None if asked.json else 1))


if __name__ == "__main__":
    main()
