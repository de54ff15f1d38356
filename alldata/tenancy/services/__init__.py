"""Writes of tenancy: one use case a module."""
