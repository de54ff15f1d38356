"""The Crater core: a pure function from a Snapshot to a Plan (model.py, plan.py)."""
