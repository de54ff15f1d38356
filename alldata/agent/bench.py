"""How fast are memory and disk really? Measured in a short-lived process, within a given time.

Memory: threads pinned to the cores of one NUMA node copy buffers that they touched first, so the
pages lie on that node; read and written bytes both count (2 x copied). Disk: random 4 KiB and
sequential 1 MiB reads of a file written for the purpose, past the page cache where the file system
allows (O_DIRECT).
"""

import ctypes
import mmap
import os
import random
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

MEBI = 1 << 20
BLOCK, STRETCH = 4096, MEBI
MAX_THREADS = 16
QUEUE_DEPTH = 32
FILE_BYTES = 128 * MEBI


@dataclass(frozen=True, slots=True)
class Disk:
    """What one file system gave. `is_direct` is False when the page cache stood in between."""

    iops: int
    bandwidth: int
    latency_us: int
    is_direct: bool


def memory_bandwidth(cpus: tuple[int, ...], budget_s: float, available_bytes: int) -> int | None:
    """Sustained bytes/s of the NUMA node that owns `cpus`; None without room for the buffers."""
    threads = min(len(cpus), MAX_THREADS)
    size = max(16 * MEBI, 64 * MEBI // max(1, threads))
    if threads == 0 or 2 * size * threads > available_bytes // 4:
        return None
    ready = threading.Barrier(threads)
    rates: list[int] = []

    def copy() -> None:
        os.sched_setaffinity(0, cpus)
        source, target = mmap.mmap(-1, size), mmap.mmap(-1, size)
        to, of = _address(target), _address(source)
        ctypes.memset(of, 1, size)
        ctypes.memset(to, 1, size)
        ready.wait()
        rates.append(_rate(lambda: (ctypes.memmove(to, of, size), 2 * size)[1], budget_s))

    _together([copy] * threads)
    return sum(rates)


def _address(buffer: mmap.mmap) -> int:
    return ctypes.addressof(ctypes.c_char.from_buffer(buffer))


def disk(directory: Path, budget_s: float) -> Disk | None:
    """What the file system under `directory` gives; None when it cannot be written."""
    try:
        with _test_file(directory, budget_s / 3) as (path, size):
            return _read_tests(path, size, budget_s / 3)
    except OSError:
        return None


@contextmanager
def _test_file(directory: Path, budget_s: float) -> Iterator[tuple[str, int]]:
    """A file of random bytes, as large as the time allows; unlinked afterwards."""
    with tempfile.NamedTemporaryFile(dir=directory, prefix=".calibrate-") as file:
        stretch = os.urandom(STRETCH)
        until = time.monotonic() + budget_s
        size = 0
        while size < FILE_BYTES and (time.monotonic() < until or size < 8 * MEBI):
            size += file.write(stretch)
            file.flush()
            os.fdatasync(file.fileno())
        yield file.name, size


def _read_tests(path: str, size: int, budget_s: float) -> Disk:
    handle, is_direct = _open_past_cache(path)
    try:
        if not is_direct:
            os.posix_fadvise(handle, 0, 0, os.POSIX_FADV_DONTNEED)
        delays: list[float] = []
        _run_readers(handle, size, (BLOCK, 1, budget_s / 4), delays)
        one_by_one = sorted(delays)[len(delays) // 2]
        iops = _run_readers(handle, size, (BLOCK, QUEUE_DEPTH, budget_s), []) // BLOCK
        bandwidth = _run_readers(handle, size, (STRETCH, 4, budget_s * 3 / 4), [])
    finally:
        os.close(handle)
    return Disk(iops, bandwidth, max(1, round(one_by_one * 1e6)), is_direct)


def _open_past_cache(path: str) -> tuple[int, bool]:
    try:
        return os.open(path, os.O_RDONLY | os.O_DIRECT), True
    except OSError:
        return os.open(path, os.O_RDONLY), False


def _run_readers(handle: int, size: int, how: tuple[int, int, float], delays: list[float]) -> int:
    """Bytes/s that `depth` readers get in blocks at random places."""
    length, depth, budget_s = how
    rates: list[int] = []

    def read() -> None:
        target = mmap.mmap(-1, length)  # page-aligned, as O_DIRECT wants it
        places = random.Random(threading.get_ident())

        def once() -> int:
            begun = time.perf_counter()
            got = os.preadv(handle, [target], places.randrange(size // length) * length)
            delays.append(time.perf_counter() - begun)
            return got

        rates.append(_rate(once, budget_s))

    _together([read] * depth)
    return sum(rates)


def _rate(work: Callable[[], int], budget_s: float) -> int:
    """Units/s of repeated work, done at least once."""
    begun = time.perf_counter()
    done, passed = 0, 0.0
    while passed < budget_s:
        done += work()
        passed = time.perf_counter() - begun
    return round(done / passed)


def _together(jobs: list[Callable[[], None]]) -> None:
    threads = [threading.Thread(target=job) for job in jobs]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
