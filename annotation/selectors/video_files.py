"""Where the file of a recording lies on this machine."""

from pathlib import Path

from django.conf import settings

from annotation.models import Video


def path_of(video: Video) -> Path | None:
    """Return the recording's file; None unless it is a file inside its data set's folder.

    A folder that is not absolute lies below the media folder.
    """
    if not video.dataset.video_folder:
        return None
    folder = (Path(settings.MEDIA_ROOT) / video.dataset.video_folder).resolve()
    path = (folder / video.path).resolve()
    return path if path.is_relative_to(folder) and path.is_file() else None
