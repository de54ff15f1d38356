"""The shared vocabulary: errors, events, time, money, ids. Knows nothing of any app."""
