"""The bytes of a file that is sent to browsers, wherever it is kept.

ContentError
  ContentGoneError          it is not there any more, or is another one by now
  ContentUnavailableError   it cannot be had at the moment
"""

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

    `tag` names this very content (the inside of an ETag); `modified_s` is in seconds since 1970.
    """

    @property
    def size_bytes(self) -> int: ...

    @property
    def tag(self) -> str: ...

    @property
    def modified_s(self) -> int | None: ...

    def chunks(self, first: int, length: int) -> Iterator[bytes]:
        """Yield `length` bytes from byte `first` on, in pieces that fit into memory.

        Raises ContentError where they cannot be had, and then as early as possible.
        """


@dataclass(frozen=True, slots=True)
class FileContent:
    """A file of this machine."""

    path: Path
    size_bytes: int
    tag: str
    modified_s: int | None

    @classmethod
    def of(cls, path: Path) -> Self:
        """Return the content of the file as it is now; ContentGoneError where there is none."""
        try:
            facts = path.stat()
        except OSError as error:
            raise ContentGoneError(f"{path} cannot be read: {error.strerror}") from error
        return cls(path, facts.st_size, _tag_of(facts), int(facts.st_mtime))

    def chunks(self, first: int, length: int) -> Iterator[bytes]:
        """Yield the bytes; ContentGoneError where the file is another one or shorter by now."""
        try:
            with self.path.open("rb") as file:
                if _tag_of(os.fstat(file.fileno())) != self.tag:
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


def _tag_of(facts: os.stat_result) -> str:
    return f"{facts.st_mtime_ns:x}-{facts.st_size:x}"
