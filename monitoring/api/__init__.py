"""The doors of monitoring under /api/v1/: agents.py (what agents send) and series.py (what was used)."""
