"""Errors of making video files; for errors of reading them see `media.exceptions`.

VideoError (ValueError)
  ClipError             a clip cannot be read, is empty, or ends too early
  EditError             an edit that lies outside the recording or overlaps another
RuntimeError
  VerificationError     the written file is not as expected; names every check that failed
"""

from annotation.backends.media.exceptions import VideoError


class ClipError(VideoError):
    """A clip cannot be used."""


class EditError(VideoError):
    """An edit does not fit the recording, or another edit."""


class VerificationError(RuntimeError):
    """The file that was written failed a check and was not published."""
