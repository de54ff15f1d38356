"""Facts that survive a crash: written with the change, delivered at least once."""
