"""How fast does an idle card copy within its own memory? Asked of the CUDA driver library, where it is at hand.

The driver's own calls through ctypes: no toolkit is needed. Read and written bytes both count. A card that is in use,
or whose context cannot be made, is not measured.
"""

import ctypes
import time
from collections.abc import Collection
from typing import Any
from uuid import UUID

LIBRARY = "libcuda.so.1"
BUFFER_BYTES = 256 << 20
COPIES = 16


class CudaRefused(Exception):
    """A call of the driver library failed; the code is CUDA's own."""

    def __init__(self, call: str, code: int) -> None:
        super().__init__(call, code)
        self.call = call
        self.code = code

    def __str__(self) -> str:
        return f"{self.call} answered {self.code}"


def library() -> Any | None:
    """The driver library, initialised; None where there is none."""
    try:
        found = ctypes.CDLL(LIBRARY)
    except OSError:
        return None
    return found if found.cuInit(0) == 0 else None


def bandwidths(cuda: Any, idle: Collection[str], budget_s: float) -> dict[str, int]:
    """Bytes/s of the cards named by uuid; those that refuse, or whose turn comes too late, are left out."""
    found: dict[str, int] = {}
    until = time.monotonic() + 2 * budget_s  # making a context takes time too
    for uuid, index in _indices(cuda).items():
        if uuid in idle and time.monotonic() < until:
            try:
                found[uuid] = _bandwidth(cuda, index, budget_s / len(idle))
            except CudaRefused:
                continue
    return found


def _indices(cuda: Any) -> dict[str, int]:
    """CUDA numbers cards by speed, NVML by bus: only the uuid is common."""
    count, raw = ctypes.c_int(), (ctypes.c_ubyte * 16)()
    if cuda.cuDeviceGetCount(ctypes.byref(count)):
        return {}
    found = {}
    for index in range(count.value):
        if cuda.cuDeviceGetUuid(ctypes.byref(raw), index) == 0:
            found[f"GPU-{UUID(bytes=bytes(raw))}"] = index
    return found


def _call(cuda: Any, name: str, *arguments: object) -> None:
    code = int(getattr(cuda, name)(*arguments))
    if code:
        raise CudaRefused(name, code)


def _bandwidth(cuda: Any, index: int, budget_s: float) -> int:
    device, context = ctypes.c_int(), ctypes.c_void_p()
    _call(cuda, "cuDeviceGet", ctypes.byref(device), index)
    _call(cuda, "cuDevicePrimaryCtxRetain", ctypes.byref(context), device)
    try:
        _call(cuda, "cuCtxSetCurrent", context)
        return _copies(cuda, budget_s)
    finally:
        cuda.cuDevicePrimaryCtxRelease(device)


def _copies(cuda: Any, budget_s: float) -> int:
    source, target = ctypes.c_uint64(), ctypes.c_uint64()
    _call(cuda, "cuMemAlloc_v2", ctypes.byref(source), ctypes.c_size_t(BUFFER_BYTES))
    try:
        _call(cuda, "cuMemAlloc_v2", ctypes.byref(target), ctypes.c_size_t(BUFFER_BYTES))
        try:
            return _timed(cuda, (target, source), budget_s)
        finally:
            cuda.cuMemFree_v2(target)
    finally:
        cuda.cuMemFree_v2(source)


def _timed(cuda: Any, ends: tuple[ctypes.c_uint64, ctypes.c_uint64], budget_s: float) -> int:
    """The first round only warms up."""
    done, begun = 0, 0.0
    for _round in range(1_000):
        for _ in range(COPIES):
            _call(cuda, "cuMemcpyDtoD_v2", *ends, ctypes.c_size_t(BUFFER_BYTES))
        _call(cuda, "cuCtxSynchronize")
        if begun == 0.0:
            begun = time.perf_counter()
            continue
        done += COPIES * 2 * BUFFER_BYTES
        if time.perf_counter() - begun >= budget_s:
            break
    return round(done / (time.perf_counter() - begun))
