"""The bytes of a stored object, on their way to a browser."""

from collections.abc import Iterator
from dataclasses import dataclass

from annotation.backends.object_storage import (
    ObjectError,
    ObjectStorage,
    StorageError,
    StoredObject,
)
from annotation.backends.stored_content import ContentGoneError, ContentUnavailableError

# A piece is fetched whole before any of it is sent: a slow browser then keeps no connection of the
# storage, and what breaks off is asked for again.
PIECE_BYTES = 2 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class ObjectContent:
    """An object of a storage, as it was when it was linked."""

    storage: ObjectStorage
    item: StoredObject

    @property
    def size_bytes(self) -> int:
        return self.item.size_bytes

    @property
    def tag(self) -> str:
        return self.item.etag

    def chunks(self, first: int, length: int) -> Iterator[bytes]:
        """Yield the bytes in pieces; ContentGoneError where the object is another one by now."""
        end = first + length
        try:
            for position in range(first, end, PIECE_BYTES):
                yield self.storage.read(self.item, position, min(PIECE_BYTES, end - position))
        except ObjectError as error:
            raise ContentGoneError(str(error)) from error
        except StorageError as error:
            raise ContentUnavailableError(str(error)) from error
