"""How good and how fast is the platform? Each module prints one JSON object (docs/benchmarks.md)."""

import os

# Matrices here are small: on a busy machine the threads of the algebra library wait for each other far longer than
# they work. Read when numpy is first imported, hence here.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
