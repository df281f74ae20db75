"""Memory that was freed goes back to the system, so that one piece of work does not add to another.

The C library keeps the buffers of frames that were freed for the next ones. After an encoder has
been closed these are a hundred megabytes which the next decoder, with buffers of other sizes,
cannot use.
"""

import ctypes
from contextlib import suppress


def release_memory() -> None:
    """Give freed memory back, where the C library can (glibc); elsewhere do nothing."""
    with suppress(OSError, AttributeError):
        ctypes.CDLL(None).malloc_trim(0)
