"""The file of a recording on this machine, for as long as a program reads it.

FFmpeg reads local files only. What needs the file of a recording asks here, and holds it no
longer than the work on it takes:

    with local_file(take.video) as path:
        media = read_media(path)
"""

import hashlib
import logging
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path

from django.conf import settings

from annotation.backends.file_cache import CacheFullError
from annotation.backends.object_storage import (
    ObjectChangedError,
    StorageError,
    StorageUnavailableError,
    StoredObject,
)
from annotation.models import Video
from annotation.selectors.videos.files import object_of, path_of
from annotation.services.videos.storage import WORKING, object_storage, video_cache

logger = logging.getLogger(__name__)

NAME_CHARACTERS = 40


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
        fetch = partial(storage.download, item)
        # The same name always stands for this very content.
        facts = (settings.VIDEO_STORAGE_URL, item.bucket, item.key, item.etag, str(item.size_bytes))
        name = hashlib.sha256("\n".join(facts).encode()).hexdigest()[:NAME_CHARACTERS]
        return stack.enter_context(video_cache().locked_file(name, item.size_bytes, fetch))
    except ObjectChangedError as error:
        raise VideoFileError(f"{error} Link the videos again.") from error
    except StorageError as error:
        raise VideoFileError(str(error)) from error
    except (CacheFullError, OSError) as error:
        raise VideoFileError(f"{item} cannot be fetched: {error}.") from error
