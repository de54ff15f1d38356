"""Is numba here? Then the kernels run as machine code; the plan is the same either way."""

from collections.abc import Callable
from typing import Any, TypeVar

import numpy.typing as npt

F = TypeVar("F", bound=Callable[..., object])

try:
    from numba import njit
except ImportError:
    njit = None

FAST: bool = njit is not None


def jit(function: F) -> F:
    """Compile the function, or leave it as it is."""
    if njit is None:
        return function
    compiled: F = njit(cache=True, error_model="numpy")(function)
    return compiled


def inlined(function: F) -> F:
    """The same for what is part of its caller's inner loop: handing over all arrays would cost more than the work."""
    if njit is None:
        return function
    compiled: F = njit(inline="always")(function)
    return compiled


def python(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function itself, not its machine code."""
    plain: Callable[..., Any] = getattr(function, "py_func", function)
    return plain


def elements(*arrays: npt.NDArray[Any]) -> tuple[Any, ...]:
    """What Python reads single elements from quickest; machine code, where there is some, takes the arrays."""
    return arrays if FAST else tuple([array.data for array in arrays])
