"""What is happening: usage frames as they arrive, live values, series, the exporter."""
