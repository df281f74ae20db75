"""The bytes of a recording for somebody who watches it."""

from annotation.backends.object_content import ObjectContent
from annotation.backends.object_storage import StorageError
from annotation.backends.site_storage import SERVING, object_storage
from annotation.backends.stored_content import (
    ContentGoneError,
    ContentUnavailableError,
    FileContent,
    StoredContent,
)
from annotation.models import Video
from annotation.selectors.videos.files import object_of, path_of


def content_of(video: Video) -> StoredContent:
    """The recording's bytes, from this machine or from the storage.

    Raises ContentGoneError where its file is not inside its data set's folder, and
    ContentUnavailableError where the site cannot ask its storage.
    """
    item = object_of(video)
    if item is not None:
        try:
            return ObjectContent(object_storage(SERVING), item)
        except StorageError as error:
            raise ContentUnavailableError(str(error)) from error
    path = path_of(video)
    if path is None:
        raise ContentGoneError(f"The video file {video.path} is gone.")
    return FileContent.of(path, hash_line=video.content)
