"""What numpy's own files say at their beginning, and how forged and damaged ones fail."""

import errno
import lzma
import tokenize
import zipfile
import zlib
from typing import IO, Any

import numpy as np
from numpy.lib import format as npy

# What zipfile raises on archives that are cut, forged, encrypted or packed in an unknown way.
DAMAGES = (
    zipfile.BadZipFile, zlib.error, lzma.LZMAError, EOFError, NotImplementedError, RuntimeError,
    ValueError, OSError,
)  # fmt: skip
# What numpy raises on forged heads: they are parsed as Python's own literals are.
FORGERIES = (
    LookupError, TypeError, MemoryError, RecursionError, SyntaxError, tokenize.TokenError,
)  # fmt: skip
SHOWN_CHARACTERS = 80


def read_head(file: IO[bytes]) -> tuple[tuple[int, ...], bool, np.dtype[Any]]:
    """Shape (sizes may be below 0), whether columns come first, type; raises ValueError."""
    try:
        version = npy.read_magic(file)
        read = {(1, 0): npy.read_array_header_1_0, (2, 0): npy.read_array_header_2_0}[version]
        shape, is_fortran, kind = read(file)
    except FORGERIES as error:
        raise ValueError(str(error)[:SHOWN_CHARACTERS] or type(error).__name__) from error
    # True is a whole number to numpy's check of the head, and no size to anything else.
    return tuple(map(int, shape)), is_fortran, kind


def is_of_disk(error: BaseException) -> bool:
    """Whether the disk failed: a forged place in an archive, and bad bytes, are OSErrors too."""
    return isinstance(error, OSError) and error.errno not in {None, errno.EINVAL}
