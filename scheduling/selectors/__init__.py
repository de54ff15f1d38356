"""Reads of scheduling: frozen answers for doors and for the apps above."""
