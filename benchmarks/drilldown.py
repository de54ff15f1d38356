"""How long does any view of the money take over 100,000 jobs and 30 days?

    python -m benchmarks.drilldown --json [--jobs 100000] [--rounds 20]

Answer: {p95_ms: {view: ms}, worst_p95_ms, first_ms: {view: ms}, worst_first_ms, jobs, ledger_rows, filled_s}. Views
are the selectors behind pages, API and CSV, each with its widest question; `first_ms` is the first answer on a new
connection.
"""

import argparse
import json

from benchmarks.backing import run_inside


def main() -> None:
    """Run it and print the answer."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", action="store_true", help="print JSON only")
    parser.add_argument("--jobs", type=int, default=100_000)
    parser.add_argument("--rounds", type=int, default=20)
    asked = parser.parse_args()
    found = json.loads(run_inside("drilldown", str(asked.jobs), str(asked.rounds)))
    if asked.json:
        print(json.dumps(found))
        return
    for name, value in found["p95_ms"].items():
        print(f"{name:28} {value}")
    print(f"{'worst':28} {found['worst_p95_ms']}")


if __name__ == "__main__":
    main()
