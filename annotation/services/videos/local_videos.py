"""The file of a recording on this machine, for as long as a program reads it.

FFmpeg reads local files only. What needs the file of a recording asks here, and holds it no
longer than the work on it takes:

    with local_file(take.video) as path:
        media = read_media(path)
"""

import logging
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from annotation.backends.file_cache import CacheFullError
from annotation.backends.object_storage import (
    ObjectChangedError,
    StorageError,
    StorageUnavailableError,
    StoredObject,
)
from annotation.backends.site_storage import WORKING, fetched, object_storage
from annotation.models import Video
from annotation.selectors.videos.files import object_of, path_of

logger = logging.getLogger(__name__)


class VideoFileError(Exception):
    """The recording's file is not available; the message names it and says why."""


@contextmanager
def local_file(video: Video) -> Iterator[Path]:
    """Yield the path of the recording's file; it stays there until the context is left.

    An object of a storage is fetched, unless it still is here from the last time. Raises
    VideoFileError, before anything is yielded, when the file that was linked is not available.
    """
    item = object_of(video)
    if item is None:
        path = path_of(video)
        if path is None:
            raise VideoFileError(f"The video file {video.path} is gone; link the videos again.")
        yield path
        return
    with ExitStack() as stack:
        yield _fetched(item, stack)


def _fetched(item: StoredObject, stack: ExitStack) -> Path:
    try:
        storage = object_storage(WORKING)
        try:
            if storage.find(item.bucket, item.key) != item:
                raise ObjectChangedError(f"{item} was changed after it was linked.")
        except StorageUnavailableError as error:
            # What was fetched earlier is what was linked, and need not wait for the storage.
            logger.warning("going on without asking the storage: %s", error)
        return stack.enter_context(fetched(item, storage))
    except ObjectChangedError as error:
        raise VideoFileError(f"{error} Link the videos again.") from error
    except StorageError as error:
        raise VideoFileError(str(error)) from error
    except (CacheFullError, OSError) as error:
        raise VideoFileError(f"{item} cannot be fetched: {error}.") from error
