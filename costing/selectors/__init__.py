"""Reads of costing: prices in force, cost of jobs, summaries."""
