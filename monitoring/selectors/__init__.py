"""Reads of monitoring: how far usage reaches (streams), what was used (usage), what is now (live)."""
