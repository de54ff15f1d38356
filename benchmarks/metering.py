"""How many intervals a second are taken in, how long does a day take to close, and how much room does it need?

    python -m benchmarks.metering --json [--nodes 125] [--seconds 6]

An interval is one capability of one device over one window. Answer: {bulk_per_s, http_per_s: {one, ten},
close_day_s, bytes_per_interval, ...} for a day of `nodes` x 8 GPUs x 8 capabilities at 60 s.
"""

import argparse
import json

from benchmarks.backing import run_inside


def main() -> None:
    """Run it and print the answer."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", action="store_true", help="print JSON only")
    parser.add_argument("--nodes", type=int, default=125)
    parser.add_argument("--seconds", type=float, default=6.0)
    asked = parser.parse_args()
    found = json.loads(run_inside("metering", str(asked.nodes), str(asked.seconds)))
    if asked.json:
        print(json.dumps(found))
        return
    for name, value in found.items():
        print(f"{name:28} {value}")


if __name__ == "__main__":
    main()
