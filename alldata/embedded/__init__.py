"""How does the whole platform run on one machine? Real parts, started and supervised by us (supervisor.py)."""
