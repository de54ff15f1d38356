"""When does Python look for garbage that refers to itself?

Values of the core never do, and most of what a round makes lives on: looking through it again and again takes a
sixth of a round's time and finds nothing.
"""

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def uncollected() -> Iterator[None]:
    """No search for cycles within the block, which must be short: what is in cycles stays until after it."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()
