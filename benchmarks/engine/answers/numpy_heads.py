"""The headers of numpy files, and the errors that damaged and forged files raise."""

import errno
import lzma
import tokenize
import zipfile
import zlib
from typing import IO, Any

import numpy as np
from numpy.lib import format as npy

# What zipfile raises for archives that are cut, forged, encrypted or compressed in an unknown way.
DAMAGE_ERRORS = (
    zipfile.BadZipFile, zlib.error, lzma.LZMAError, EOFError, NotImplementedError, RuntimeError,
    ValueError, OSError,
)  # fmt: skip
# What numpy raises for forged headers, which it parses as Python literals.
FORGED_HEAD_ERRORS = (
    LookupError, TypeError, MemoryError, RecursionError, SyntaxError, tokenize.TokenError,
)  # fmt: skip
SHOWN_CHARACTERS = 80


def read_head(file: IO[bytes]) -> tuple[tuple[int, ...], bool, np.dtype[Any]]:
    """Shape (sizes may be negative), whether it is in Fortran order, dtype; raises ValueError."""
    try:
        version = npy.read_magic(file)
        read = {(1, 0): npy.read_array_header_1_0, (2, 0): npy.read_array_header_2_0}[version]
        shape, is_fortran, kind = read(file)
    except FORGED_HEAD_ERRORS as error:
        raise ValueError(str(error)[:SHOWN_CHARACTERS] or type(error).__name__) from error
    # numpy's check lets True through as a size, since bool is an int; nothing later does.
    return tuple(map(int, shape)), is_fortran, kind


def is_disk_failure(error: BaseException) -> bool:
    """Whether the disk failed: a forged offset in an archive and bad bytes raise OSErrors too."""
    return isinstance(error, OSError) and error.errno not in {None, errno.EINVAL}
