"""The frames of the recording on both sides of a clip, which its start and end have to match."""

from enum import StrEnum
from fractions import Fraction

from annotation.backends.media.exceptions import SourceError
from annotation.backends.media.stills import still, whole_still
from annotation.services.videos.local_videos import VideoFileError, local_file
from generation.models import TakeClip, TakeEdits


class Side(StrEnum):
    """Which frame: the last before the clip, or the first after it."""

    FIRST = "first"
    LAST = "last"


class NoFrameError(Exception):
    """There is no frame on that side, or it cannot be read; the message says which of the two."""


def frame_time_s(clip: TakeClip, edits: TakeEdits, side: Side) -> float | None:
    """The time in the middle of the frame beside a clip; None at the ends of the recording."""
    rate = Fraction(edits.recording["frame_rate"])
    if side is Side.FIRST:
        index = round(Fraction(clip.before_s) * rate) - 1
        return float((index + Fraction(1, 2)) / rate) if index >= 0 else None
    index = round(Fraction(clip.after_s) * rate)
    is_there = index < round(Fraction(edits.document["source_duration_s"]) * rate)
    return float((index + Fraction(1, 2)) / rate) if is_there else None


def boundary_frame(clip: TakeClip, edits: TakeEdits, side: Side, *, is_whole: bool) -> bytes:
    """The frame beside a clip: as PNG in full size, else as a small JPEG.

    Raises NoFrameError.
    """
    time_s = frame_time_s(clip, edits, side)
    if time_s is None:
        raise NoFrameError(f"The recording has no frame on that side of {clip.clip_id}.")
    video = clip.run_take.take.video
    if video is None:
        raise NoFrameError("The recording of this take is gone; link the videos again.")
    try:
        with local_file(video) as path:
            return whole_still(path, time_s) if is_whole else still(path, time_s)
    except VideoFileError as error:
        raise NoFrameError(str(error)) from error
    except SourceError as error:
        raise NoFrameError(f"The frame cannot be read: {error}.") from error
