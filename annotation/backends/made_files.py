"""The files that the site makes or takes in: on one shared disk, or in an object storage.

A name is a path relative to the media folder. Without the setting MADE_FILES everything lies there,
and all machines share it. With it, each machine has a media folder of its own, in which only what
is being made lies: what is finished is kept in the storage, under the same name, and whoever needs
it fetches it. Except for the finished video of a take, what has a name never changes.
"""

import logging
import os
import shutil
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from django.conf import settings

from annotation.backends.file_cache import CacheFullError
from annotation.backends.object_content import ObjectContent
from annotation.backends.object_storage import (
    ObjectMissingError,
    StorageError,
    StoredObject,
)
from annotation.backends.site_storage import SERVING, WORKING, fetched, object_storage
from annotation.backends.stored_content import (
    ContentGoneError,
    ContentUnavailableError,
    FileContent,
    StoredContent,
)
from annotation.engine.videos.storage_prefix import StoragePrefix

logger = logging.getLogger(__name__)


def place() -> StoragePrefix | None:
    """Where finished files are kept; None where that is the media folder itself."""
    return StoragePrefix.parse(settings.MADE_FILES) if settings.MADE_FILES else None


def path_here(name: str) -> Path:
    """Where a file of that name is made."""
    return Path(settings.MEDIA_ROOT) / name


def name_of(path: Path) -> str:
    return str(path.relative_to(settings.MEDIA_ROOT))


def keep(path: Path, name: str = "", *, stays: bool = False) -> None:
    """Keep a finished file, or all that are in a finished folder, under its name or another.

    In a storage it no longer lies here afterwards, unless it `stays`; on a shared disk nothing
    happens, and whoever made it puts it in its place. Raises OSError, as where a disk is full.
    """
    where = place()
    if where is None:
        return
    name = name or name_of(path)
    try:
        storage = object_storage(WORKING)
        if path.is_file():
            storage.store(where.bucket, where.key_of(name), path)
        else:
            for file in sorted(path.rglob("*")):
                inside = f"{name}/{file.relative_to(path)}"
                if file.is_file():
                    storage.store(where.bucket, where.key_of(inside), file)
    except StorageError as error:
        raise OSError(f"{name} cannot be kept: {error}") from error
    if not stays:
        _remove_here(path)


@contextmanager
def local(name: str) -> Iterator[Path]:
    """Yield the path of a kept file on this machine, where it stays until the context is left.

    Raises FileNotFoundError where there is no such file, OSError where it cannot be had.
    """
    path = path_here(name)
    if place() is None or path.is_file():
        if not path.is_file():
            raise FileNotFoundError(f"{name} is gone")
        yield path
        return
    with ExitStack() as stack:
        yield _fetched(name, stack)


def _fetched(name: str, stack: ExitStack) -> Path:
    try:
        storage = object_storage(WORKING)
        return stack.enter_context(fetched(found(name), storage))
    except ObjectMissingError as error:
        raise FileNotFoundError(f"{name} is gone") from error
    except (StorageError, CacheFullError) as error:
        raise OSError(f"{name} cannot be fetched: {error}") from error


def found(name: str) -> StoredObject:
    """The object of a kept file; raises StorageError. Only where a storage is set."""
    where = place()
    assert where is not None  # noqa: S101 - callers have asked
    return object_storage(WORKING).find(where.bucket, where.key_of(name))


def bring(path: Path) -> bool:
    """Put a kept file into its place on this machine; False where there is none."""
    if path.is_file() or place() is None:
        return path.is_file()
    try:
        with local(name_of(path)) as copy:
            path.parent.mkdir(parents=True, exist_ok=True)
            # The copy may be removed to make room; its content then goes on under this name.
            os.link(copy, path)
    except FileExistsError:
        return True
    except FileNotFoundError:
        return False
    return True


def is_kept(name: str) -> bool:
    """Whether there is such a file; raises OSError where the storage does not say."""
    if path_here(name).is_file():
        return True
    if place() is None:
        return False
    try:
        found(name)
    except ObjectMissingError:
        return False
    except StorageError as error:
        raise OSError(str(error)) from error
    return True


def content(name: str, hash_line: str = "") -> StoredContent:
    """The bytes of a kept file for a browser; `hash_line` as of `FileContent`.

    Raises ContentError.
    """
    where = place()
    if where is None:
        return FileContent.of(path_here(name), hash_line=hash_line)
    try:
        storage = object_storage(SERVING)
        return ObjectContent(storage, storage.find(where.bucket, where.key_of(name)))
    except ObjectMissingError as error:
        raise ContentGoneError(str(error)) from error
    except StorageError as error:
        raise ContentUnavailableError(str(error)) from error


def names_below(name: str) -> list[str]:
    """The folders, and on a shared disk the files, that lie directly in a folder."""
    where = place()
    try:
        here = [path.name for path in path_here(name).iterdir()]
    except (FileNotFoundError, NotADirectoryError):
        here = []
    if where is None:
        return here
    try:
        kept = list(object_storage(WORKING).folders(where.bucket, where.key_of(f"{name}/")))
    except StorageError as error:
        raise OSError(str(error)) from error
    return sorted({*here, *kept})


def forget(name: str) -> None:
    """Remove a file, or a folder with everything in it, wherever it lies.

    What a storage does not let go stays in it and is logged: nothing names it any more.
    """
    if not name:
        raise ValueError("no name was given, and everything has to stay")
    _remove_here(path_here(name))
    where = place()
    if where is None:
        return
    try:
        object_storage(WORKING).remove(where.bucket, where.key_of(name))
    except StorageError as error:
        logger.warning("%s stays in the storage: %s", name, error)


def _remove_here(path: Path) -> None:
    if path.is_dir():
        shutil.rmtree(path, ignore_errors=True)
    else:
        path.unlink(missing_ok=True)
