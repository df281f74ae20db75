"""What the house needs of an object storage, and how it may fail; `s3_storage.py` reads S3.

StorageError
  StorageRefusedError       keys, bucket or settings are wrong; nothing works until mended
  StorageUnavailableError   it gives no usable answer at the moment
  ObjectError               one object cannot be had
    ObjectMissingError
    ObjectDeniedError
    ObjectChangedError      it is not the one any more that was linked
"""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Protocol


class StorageError(Exception):
    """The storage did not give what was asked for; the message names bucket and key."""


class StorageRefusedError(StorageError):
    """Keys, bucket or settings are wrong; nothing works until somebody mends them."""


class StorageUnavailableError(StorageError):
    """The storage gives no usable answer at the moment; later it may."""


class ObjectError(StorageError):
    """One object cannot be had."""


class ObjectMissingError(ObjectError):
    """There is no such object."""


class ObjectDeniedError(ObjectError):
    """The keys may not read the object."""


class ObjectChangedError(ObjectError):
    """There is an object of that name, but not the one that was linked."""


@dataclass(frozen=True, slots=True)
class StorageConfig:
    """How a storage is reached; keys come from where AWS's own programs look for them.

    An empty `endpoint_url` is Amazon's, an empty `region` the one of the environment. `addressing`
    is "path" (endpoint/bucket/key), "virtual" (bucket.endpoint/key) or "auto".
    """

    endpoint_url: str = ""
    region: str = ""
    addressing: str = "auto"


@dataclass(frozen=True, slots=True)
class Patience:
    """How long to wait for a connection and for each piece of an answer, and how often to ask."""

    connect_s: float
    read_s: float
    attempts: int


@dataclass(frozen=True, slots=True)
class StoredObject:
    """One content of one key. `etag` is the storage's name for that content, without quotes."""

    bucket: str
    key: str
    size_bytes: int
    etag: str

    def __str__(self) -> str:
        return f"s3://{self.bucket}/{self.key}"


class ObjectStorage(Protocol):
    """Reads and keeps objects. Every method raises StorageError."""

    def find(self, bucket: str, key: str) -> StoredObject:
        """What the key holds now."""

    def pages(self, bucket: str, prefix: str) -> Iterator[list[StoredObject]]:
        """Yield the objects whose keys begin with the prefix, up to a thousand at a time."""

    def read(self, item: StoredObject, first: int, length: int) -> bytes:
        """`length` bytes of this very content, from byte `first` on."""

    def download(self, item: StoredObject, file: BinaryIO) -> float:
        """Write this very content to the file; return when it was stored (seconds since 1970)."""

    def store(self, bucket: str, key: str, path: Path) -> StoredObject:
        """Put the content of a file under the key; what was there before is replaced."""

    def folders(self, bucket: str, prefix: str) -> Iterator[str]:
        """Yield the parts of keys, up to the next slash, that follow a prefix; each once."""

    def remove(self, bucket: str, key: str) -> None:
        """Remove the object of a key, and all objects below it as below a folder."""
