"""Writes of monitoring: taking frames in, keeping day partitions."""
