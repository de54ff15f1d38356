"""How good and how fast is the platform? Each module prints one JSON object (docs/benchmarks.md)."""

import os
import sys
from pathlib import Path

#: What `make test` installs beside the platform: numba. Benchmarks use it; ALLDATA_PLAIN=1 measures without.
FAST = Path(sys.prefix) / "fast"
if FAST.is_dir() and not os.environ.get("ALLDATA_PLAIN"):
    sys.path.append(str(FAST))

# Matrices here are small: on a busy machine the threads of the algebra library wait for each other far longer than
# they work. Read when numpy is first imported, hence here.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
