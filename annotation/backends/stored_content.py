"""The bytes of a file that is sent to browsers, wherever it is kept.

ContentError
  ContentGoneError          it is not there any more, or is another one by now
  ContentUnavailableError   it cannot be had at the moment
"""

import hashlib
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, Self

CHUNK_BYTES = 256 * 1024


class ContentError(Exception):
    """The bytes cannot be had; the message says why, and is for the log."""


class ContentGoneError(ContentError):
    """The file is not there any more, or is another one by now."""


class ContentUnavailableError(ContentError):
    """The file cannot be had at the moment."""


class StoredContent(Protocol):
    """A file whose bytes can be read from any place on.

    `tag` names this very content, by a hash of its bytes or by when and how it was written. It is
    for this site only: what browsers are told is a keyed hash of it.
    """

    @property
    def size_bytes(self) -> int: ...

    @property
    def tag(self) -> str: ...

    def chunks(self, first: int, length: int) -> Iterator[bytes]:
        """Yield `length` bytes from byte `first` on, in pieces that fit into memory.

        Raises ContentError where they cannot be had, and then as early as possible.
        """


@dataclass(frozen=True, slots=True)
class FileContent:
    """A file of this machine; `version` changes whenever it is written."""

    path: Path
    size_bytes: int
    version: str
    tag: str

    @classmethod
    def of(cls, path: Path, *, hash_line: str = "") -> Self:
        """The content of the file as it is now; ContentGoneError where there is none.

        `hash_line` is the last result of `hashed_version`, which saves reading the file: while the
        version is still that one, `tag` is its hash, and the version itself otherwise.
        """
        try:
            version = _version_of(path.stat())
        except OSError as error:
            raise ContentGoneError(f"{path} cannot be read: {error.strerror}") from error
        hashed, _, content_hash = hash_line.partition(" ")
        size_bytes = int(version.rpartition("-")[2], 16)
        return cls(path, size_bytes, version, content_hash if hashed == version else version)

    def chunks(self, first: int, length: int) -> Iterator[bytes]:
        """Yield the bytes; ContentGoneError where the file is another one or shorter by now."""
        try:
            with self.path.open("rb") as file:
                if _version_of(os.fstat(file.fileno())) != self.version:
                    raise ContentGoneError(f"{self.path} was changed while it was sent")
                file.seek(first)
                while length > 0:
                    chunk = file.read(min(CHUNK_BYTES, length))
                    if not chunk:
                        raise ContentGoneError(f"{self.path} got shorter while it was sent")
                    length -= len(chunk)
                    yield chunk
        except OSError as error:
            raise ContentGoneError(f"{self.path} cannot be read: {error.strerror}") from error


def hashed_version(path: Path) -> str:
    """Which version of a file there is and the hash of its bytes; reads all of it."""
    with path.open("rb") as file:
        version = _version_of(os.fstat(file.fileno()))
        return f"{version} {hashlib.file_digest(file, 'sha256').hexdigest()}"


def _version_of(facts: os.stat_result) -> str:
    return f"{facts.st_mtime_ns:x}-{facts.st_size:x}"
