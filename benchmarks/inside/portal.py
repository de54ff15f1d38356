"""Ask the portal's own web server, and the relay; `python -m benchmarks.inside.portal JOBS SECONDS ROUNDS`.

* `heatmap`: `first_bytes` is the page and its cells as a browser gets them (compressed where the server compresses),
  without scripts and styles, which browsers keep; `again_bytes` one refresh; `p95_ms` of a refresh.
* `pages`: p95 of one connection and of eight, in a table of `jobs` rows with 10,000 devices beside it. The API is asked
  with a token of one project, pages by an administrator who sees all ten.
* `submissions`: submitting.py. `relay`: relaying.py.
"""

import gzip
import json
import statistics
import sys
from typing import Any

from alldata.kernel import clock
from benchmarks.inside import portal_world as world
from benchmarks.inside.asking import Web, request_of, web
from benchmarks.inside.relaying import relay_rate
from benchmarks.inside.submitting import queries, submissions, submit_each

ZIPPED = {"Accept-Encoding": "gzip"}
PAGES_S = 1.5


def main(jobs: int, seconds: float, rounds: int) -> None:
    """Fill, ask, print the figures as one JSON line."""
    now_ms = clock.now_ms()
    home = world.make_home(now_ms)
    cells = world.make_reporting(now_ms)
    with web() as server:
        heatmap = heatmap_of(server, home) | {"cells": cells}
    devices = world.make_mixed(now_ms)
    world.make_jobs(home, jobs, now_ms)
    submit_each(home.token)
    world.make_past(clock.now_ms())
    told: dict[str, Any] = {"queries": queries(home.token)}
    with web() as server:
        pages = {name: _pages(server, request, rounds) for name, request in views(home, jobs).items()}
        told["room"] = submissions(server, home.token, seconds, rounds)
    world.fill(clock.now_ms())
    with web() as server:
        told["full"] = submissions(server, home.token, seconds, rounds)
    answer = {"submissions": told, "pages": pages, "heatmap": heatmap, "relay": relay_rate(rounds)}
    print(json.dumps(answer | {"jobs": jobs, "devices": devices}))


def views(home: world.Home, jobs: int) -> dict[str, bytes]:
    """Every list that is as long as the table."""
    token, cookie = {"Authorization": f"Bearer {home.token}"}, {"Cookie": home.cookie} | ZIPPED
    middle = jobs // 2
    return {
        "list API": request_of("GET", "/api/v1/jobs?limit=50", token),
        "list API, half way down": request_of("GET", f"/api/v1/jobs?limit=50&after={middle}", token),
        "list API, waiting": request_of("GET", "/api/v1/jobs?limit=50&status=queued&status=admitted", token),
        "list API, failed": request_of("GET", "/api/v1/jobs?limit=50&status=failed", token),
        "jobs": request_of("GET", "/jobs/", cookie),
        "jobs, half way down": request_of("GET", f"/jobs/?after={middle}", cookie),
        "jobs, waiting": request_of("GET", "/jobs/?show=waiting", cookie),
        "jobs, running": request_of("GET", "/jobs/?show=running", cookie),
        "jobs, ended": request_of("GET", "/jobs/?show=ended", cookie),
        "one job": request_of("GET", f"/jobs/J-{middle}/", cookie),
        "home": request_of("GET", "/", cookie),
    }


def _pages(server: Web, request: bytes, rounds: int) -> dict[str, float]:
    server.hear([lambda n: request] * 4, 0.3)  # both workers have met it
    found = {}
    for name, connections in (("one", 1), ("eight", 8)):
        heard = [server.hear([lambda n: request] * connections, PAGES_S / rounds) for _ in range(rounds)]
        found[f"{name}_p95_ms"] = round(statistics.median(run.at(95) for run in heard), 1)
    return found


def heatmap_of(server: Web, home: world.Home) -> dict[str, float]:
    """Bytes and time of the map."""
    headers = {"Cookie": home.cookie} | ZIPPED
    page = request_of("GET", "/fleet/heatmap/", headers)
    whole = request_of("GET", "/fleet/heatmap/cells", headers)
    first = server.once(page).bytes_each + server.once(whole).bytes_each
    stamp = json.loads(gzip.decompress(server.once(whole).last.partition(b"\r\n\r\n")[2]))["stamp"]
    again = request_of("GET", f"/fleet/heatmap/cells?stamp={stamp}", headers)
    server.hear([lambda n: again] * 4, 0.3)  # both workers have met it
    heard = server.hear([lambda n: again], 3.0)
    return {
        "first_bytes": first,
        "again_bytes": server.once(again).bytes_each,
        "p95_ms": round(heard.at(95), 1),
        "page_p95_ms": round(server.hear([lambda n: page], 3.0).at(95), 1),
    }


if __name__ == "__main__":
    main(int(sys.argv[1]), float(sys.argv[2]), int(sys.argv[3]))
