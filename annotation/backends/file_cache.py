"""A folder of fetched files that stays under a size; many processes use it at once.

Every file is locked by the process that uses it (`flock`, which ends with a process that is
killed). A file is fetched under the name NAME.part, locked alone, and gets its own name whole. To
make room, files that nobody has locked are removed, the least recently used first, and so is what
killed processes left half fetched.

A file may be renamed or removed between its opening and the lock. So after
every lock it is asked whether the locked file is still the one of that name.
"""

import fcntl
import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

PART_SUFFIX = ".part"
ROOM_LOCK = ".room"
# Others may give up their files meanwhile; a video job takes minutes.
ROOM_WAIT_S = 600.0
ROOM_PAUSE_S = 0.2


class CacheFullError(Exception):
    """There is no room for a file: it is too big, or all room is taken by files in use."""


@dataclass(frozen=True, slots=True)
class FileCache:
    """Files by name below `folder`, together at most `limit_bytes`."""

    folder: Path
    limit_bytes: int
    room_wait_s: float = ROOM_WAIT_S

    @contextmanager
    def locked_file(
        self, name: str, size_bytes: int, fetch: Callable[[BinaryIO], float]
    ) -> Iterator[Path]:
        """Yield the path of the file of that name, which stays until the context is left.

        `fetch` writes the file where it is not there yet, and returns when its content was made
        (seconds since 1970), which becomes its time; of several who want it at once, one fetches
        and the others wait. Raises CacheFullError, OSError, and what `fetch` raises.
        """
        self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        handle = None
        while handle is None:
            handle = self._finished(name)
            if handle is None:
                handle = self._fetched(name, size_bytes, fetch)
        try:
            yield self.folder / name
        finally:
            os.close(handle)

    def _finished(self, name: str) -> int | None:
        """A handle that locks the finished file; None where there is none."""
        path = self.folder / name
        handle = _opened(path)
        if handle is None:
            return None
        fcntl.flock(handle, fcntl.LOCK_SH)
        if not _is_at(handle, path):
            os.close(handle)
            return None
        # The time of reading is that of the last use, whether or not the file system keeps it.
        os.utime(handle, ns=(time.time_ns(), os.fstat(handle).st_mtime_ns))
        return handle

    def _fetched(
        self, name: str, size_bytes: int, fetch: Callable[[BinaryIO], float]
    ) -> int | None:
        """A handle that locks the file, just fetched; None where others were faster."""
        path, part = self.folder / name, self.folder / f"{name}{PART_SUFFIX}"
        handle = _part_locked_alone(part)
        if handle is None:
            return None
        try:
            if path.exists():
                part.unlink()
            else:
                os.ftruncate(handle, 0)
                self._reserve(handle, size_bytes)
                with os.fdopen(handle, "r+b", closefd=False) as file:
                    made_s = fetch(file)
                    written_bytes = file.tell()
                if written_bytes != size_bytes:
                    raise OSError(f"{written_bytes} bytes were fetched instead of {size_bytes}")
                os.utime(handle, ns=(time.time_ns(), round(made_s * 1e9)))
                # Locked, for a count in between would find the file under neither name.
                with self._room_lock():
                    part.rename(path)
        except BaseException:
            part.unlink(missing_ok=True)
            os.close(handle)
            raise
        # Between giving up one lock and getting the other, another process may remove the file.
        fcntl.flock(handle, fcntl.LOCK_SH)
        if _is_at(handle, path):
            return handle
        os.close(handle)
        return None

    def _reserve(self, handle: int, size_bytes: int) -> None:
        """Give the part its whole size, so that others count it, as soon as there is room."""
        if size_bytes > self.limit_bytes:
            raise CacheFullError(
                f"it has {size_bytes:,} bytes, and all fetched videos together may have "
                f"{self.limit_bytes:,} (setting VIDEO_CACHE_MB)"
            )
        give_up_at_s = time.monotonic() + self.room_wait_s
        while not self._has_reserved(handle, size_bytes):
            if time.monotonic() > give_up_at_s:
                raise CacheFullError(
                    f"the {self.limit_bytes:,} bytes for fetched videos (setting VIDEO_CACHE_MB) "
                    "are all in use"
                )
            time.sleep(ROOM_PAUSE_S)

    def _has_reserved(self, handle: int, size_bytes: int) -> bool:
        with self._room_lock():
            for path in self.folder.glob(f"*{PART_SUFFIX}"):
                _removed_bytes(path)
            entries = {}
            for path in self.folder.iterdir():
                with suppress(FileNotFoundError):
                    if path.name != ROOM_LOCK:
                        entries[path] = path.stat()
            used_bytes = sum(facts.st_size for facts in entries.values())
            surplus_bytes = used_bytes + size_bytes - self.limit_bytes
            finished = [path for path in entries if path.suffix != PART_SUFFIX]
            for path in sorted(finished, key=lambda path: entries[path].st_atime_ns):
                if surplus_bytes <= 0:
                    break
                surplus_bytes -= _removed_bytes(path)
            if surplus_bytes > 0:
                return False
            os.ftruncate(handle, size_bytes)
            return True

    @contextmanager
    def _room_lock(self) -> Iterator[None]:
        handle = os.open(self.folder / ROOM_LOCK, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(handle, fcntl.LOCK_EX)
            yield
        finally:
            os.close(handle)


def _opened(path: Path) -> int | None:
    try:
        return os.open(path, os.O_RDWR | os.O_CLOEXEC)
    except FileNotFoundError:
        return None


def _part_locked_alone(part: Path) -> int | None:
    """A handle of the part once nobody else has it; None where it went meanwhile."""
    handle = os.open(part, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    fcntl.flock(handle, fcntl.LOCK_EX)
    if _is_at(handle, part):
        return handle
    os.close(handle)
    return None


def _is_at(handle: int, path: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(handle), path.stat())
    except FileNotFoundError:
        return False


def _removed_bytes(path: Path) -> int:
    """Remove the file unless somebody has it locked; return how much room that makes."""
    handle = _opened(path)
    if handle is None:
        return 0
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return 0
    else:
        if not _is_at(handle, path):
            return 0
        size_bytes = os.fstat(handle).st_size
        path.unlink()
        return size_bytes
    finally:
        os.close(handle)
