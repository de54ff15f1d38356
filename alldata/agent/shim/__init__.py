"""Run one attempt: one small process beside it, from first instruction to last byte.

Started by file, not as part of a server: `python -I -S -c <boot> <root> <run directory>`, standard
library only, about 20 ms to the job's first instruction. What it reads and writes is docs/shim.md.

Reading order: attempt.py (the life of one attempt), child.py (how the job starts), confine.py
(cgroups), meter.py (what it used), logs.py, linux.py, files.py.
"""
