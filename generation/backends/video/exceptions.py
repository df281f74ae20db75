"""What goes wrong with video files.

ValueError
  VideoJobError         the family; nothing was published
    SourceError         the recording cannot be read, or is no video
    ClipError           a clip cannot be read, is empty, or ends too early
    EditError           an edit that lies outside the recording or overlaps another
RuntimeError
  VerificationError     what was written is not what was asked for; names every check that failed
"""


class VideoJobError(ValueError):
    """The job cannot be done as asked; the message says why."""


class SourceError(VideoJobError):
    """The recording cannot be used."""


class ClipError(VideoJobError):
    """A clip cannot be used."""


class EditError(VideoJobError):
    """An edit does not fit the recording, or another edit."""


class VerificationError(RuntimeError):
    """The file that was written failed a check and was not published."""
