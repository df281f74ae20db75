"""A stored object as a file that is read from any place, of which only what is read is fetched."""

import io
from collections import OrderedDict

from annotation.backends.object_storage import ObjectStorage, StorageError, StoredObject

BLOCK_BYTES = 256 * 1024
KEPT_BLOCKS = 16
# Reading a file once in any order takes its size; a damaged one may send a reader back and forth.
READINGS = 2
SPARE_BYTES = 64 * BLOCK_BYTES


class TooManyReadsError(Exception):
    """The object is read over and over again; the message names it."""


class ObjectReader:
    """One content of an object, for a single thread.

    FFmpeg, which calls `read`, has no way to pass an exception on. So what goes wrong looks like
    the end of the file, and the user of the reader must call `raise_failure` afterwards.
    """

    def __init__(self, storage: ObjectStorage, item: StoredObject) -> None:
        self.storage = storage
        self.item = item
        self.fetched_bytes = 0
        self.failure: StorageError | TooManyReadsError | None = None
        self._position = 0
        self._blocks: OrderedDict[int, bytes] = OrderedDict()

    @property
    def size_bytes(self) -> int:
        return self.item.size_bytes

    def tell(self) -> int:
        return self._position

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        origins = {io.SEEK_SET: 0, io.SEEK_CUR: self._position, io.SEEK_END: self.size_bytes}
        self._position = max(0, origins[whence] + offset)
        return self._position

    def read(self, count: int) -> bytes:
        """Up to `count` bytes from here on: fewer at the end of a block, none at the end."""
        if self._position >= self.size_bytes or self.failure is not None:
            return b""
        index, offset = divmod(self._position, BLOCK_BYTES)
        try:
            if index not in self._blocks:
                first = index * BLOCK_BYTES
                length = min(BLOCK_BYTES, self.size_bytes - first)
                self.fetched_bytes += length
                if self.fetched_bytes > READINGS * self.size_bytes + SPARE_BYTES:
                    raise TooManyReadsError(f"{self.item} would have to be read again and again")
                self._blocks[index] = self.storage.read(self.item, first, length)
                if len(self._blocks) > KEPT_BLOCKS:
                    self._blocks.popitem(last=False)
            self._blocks.move_to_end(index)
            data = self._blocks[index][offset : offset + count]
        except (StorageError, TooManyReadsError) as error:
            self.failure = error
            return b""
        self._position += len(data)
        return data

    def raise_failure(self) -> None:
        """Raise the StorageError or TooManyReadsError that ended the reading, if one did."""
        if self.failure is not None:
            raise self.failure
