"""How good and how fast is the platform? Each module prints one JSON object (docs/benchmarks.md)."""
