"""Give memory that work on videos frees back to the system, so that a worker does not grow.

Frames are megabytes each, and the C library would keep the freed ones for the next: it raises the
size up to which it keeps a block with every larger one that is freed, to 32 MB, and gives every
thread of a decoder a heap of its own, whose end it never gives back. A worker that made several
videos held more than a hundred megabytes of freed memory.
"""

import ctypes
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cache

# Parameters of mallopt(3), from glibc's malloc.h.
M_MMAP_THRESHOLD, M_ARENA_MAX = -3, -8
# Larger blocks are asked of the system and given back to it one by one. That is every plane of a
# frame worth counting, and hardly a packet or an object of Python.
LARGEST_KEPT_BYTES = 512 * 1024
# Threads take turns at one heap; they ask for few blocks, as decoders keep their own.
HEAP_COUNT = 1


@cache
def bound_memory() -> None:
    """Have freed frames given back, from now on and in all threads, where the C library can.

    That is glibc; elsewhere nothing happens. What opens a video calls this.
    """
    with suppress(OSError, AttributeError):
        c_library = ctypes.CDLL(None)
        c_library.mallopt(M_MMAP_THRESHOLD, LARGEST_KEPT_BYTES)
        c_library.mallopt(M_ARENA_MAX, HEAP_COUNT)


def release_memory() -> None:
    """Give freed small blocks back as well, where the C library can (glibc)."""
    with suppress(OSError, AttributeError):
        ctypes.CDLL(None).malloc_trim(0)


@contextmanager
def memory_released() -> Iterator[None]:
    """Release the memory of a piece of work when it ends, however it ends."""
    try:
        yield
    finally:
        release_memory()
