"""The hardware knowledge base: published capability values with their sources (lookup.py)."""
