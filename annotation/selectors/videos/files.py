"""Where the file of a recording is: on this machine, or in the object storage."""

from pathlib import Path

from django.conf import settings

from annotation.backends import made_files
from annotation.backends.object_storage import StoredObject
from annotation.engine.videos.storage_prefix import StoragePrefix, is_storage_address
from annotation.models import OpenedPlace, Video


def path_of(video: Video) -> Path | None:
    """The recording's file; None unless it is a file of this machine in its data set's folder.

    A folder that is not absolute lies below the media folder.
    """
    address = video.address
    if not address or is_storage_address(address) or video.etag:
        return None
    folder = (Path(settings.MEDIA_ROOT) / address).resolve()
    path = (folder / video.path).resolve()
    return path if path.is_relative_to(folder) and path.is_file() else None


def object_of(video: Video) -> StoredObject | None:
    """The object that was linked; None where the recording is a file of this machine."""
    address = video.address
    made_in = made_files.place()
    if is_storage_address(address):
        place = StoragePrefix.parse(address)
    elif made_in is not None and video.etag:
        # The site made it.
        place = StoragePrefix(made_in.bucket, made_in.key_of(address))
    else:
        return None
    return StoredObject(place.bucket, place.key_of(video.path), video.size_bytes, video.etag)


def opened_places() -> list[str]:
    """The folders and storage prefixes below which researchers may link (one query)."""
    opened = OpenedPlace.objects.values_list("address", flat=True)
    return list(dict.fromkeys([*settings.VIDEO_ROOTS, *opened]))
