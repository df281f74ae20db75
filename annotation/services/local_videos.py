"""The file of a recording on this machine, for as long as a program reads it.

FFmpeg reads local files only. Whoever needs the file of a recording asks here, and holds it no
longer than the work on it takes:

    with local_file(take.video) as path:
        media = read_media(path)
"""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from annotation.models import Video
from annotation.selectors.video_files import path_of


class VideoFileError(Exception):
    """The recording's file cannot be had; the message names it and says why."""


@contextmanager
def local_file(video: Video) -> Iterator[Path]:
    """Yield the path of the recording's file; it stays there until the context is left.

    Raises VideoFileError, before anything is yielded, when there is no such file.
    """
    path = path_of(video)
    if path is None:
        raise VideoFileError(f"The video file {video.path} is gone; link the videos again.")
    yield path
