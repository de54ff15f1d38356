"""Commit what waits, until killed; `python -m tests.inside.committing` with a test's DATABASE_URL."""

from scheduling.crater.plan import plan
from scheduling.services.placement import commit
from scheduling.snapshot import build_snapshot
from tests.world import NOW, FlatRates

if __name__ == "__main__":
    snapshot = build_snapshot(prices=FlatRates(), now_ms=NOW)
    decided = plan(snapshot)
    print("planned", flush=True)
    commit(snapshot, decided, now_ms=NOW)
