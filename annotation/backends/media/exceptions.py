"""What goes wrong with video files.

ValueError
  VideoError        the file cannot be used as a video; says why, to be read after its name
    SourceError     it cannot be read as far as it is needed; a whole sentence with its name
"""


class VideoError(ValueError):
    """The file cannot be used as a video; the message says why."""


class SourceError(VideoError):
    """The recording cannot be used."""
