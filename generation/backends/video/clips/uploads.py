"""Look into a clip that somebody uploaded, by its content, before anything else touches it."""

from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

import av

from annotation.backends.media.exceptions import VideoError
from annotation.backends.media.facts import Media, read_media
from annotation.backends.media.frames import timed_frames
from annotation.backends.media.probe import VideoProbe, probe_video
from generation.backends.video.edits import ClipSource, look_into
from generation.backends.video.exceptions import ClipError
from generation.backends.video.forms import LONGEST_HOLD_S, browser_form
from generation.engine.splicing.upload_rules import ClipFrame

# Nobody has to upload ten minutes for a clip of seconds, and nobody gets to have them decoded.
LONGEST_UPLOAD_S = 600.0


@dataclass(frozen=True, slots=True)
class UploadedClip:
    """What an uploaded clip is: length in seconds, upright picture, and what browsers think of it.

    `plays_in_browsers` tells whether it can be shown as it came.
    """

    length_s: float
    frame: ClipFrame
    frame_rate: float
    video_codec: str
    container: str
    size_bytes: int
    plays_in_browsers: bool


def look_at_upload(path: Path, *, used_s: float) -> UploadedClip:
    """Return what a clip is, its first `used_s` seconds decoded; raise `ClipError` for no clip."""
    try:
        probe = probe_video(path)
    except VideoError as error:
        raise ClipError(f"the file {error}") from error
    if probe.duration_s > LONGEST_UPLOAD_S:
        raise ClipError(
            f"it lasts {probe.duration_s:.0f} s; expected at most {LONGEST_UPLOAD_S:.0f} s"
        )
    try:
        media = read_media(path)
        clip = look_into(ClipSource(path), media)
        length_s = float(clip.frame_count / media.frame_rate)
        _decode(media, clip.start, min(used_s, length_s))
    except (VideoError, av.FFmpegError) as error:
        raise ClipError(f"the file is damaged ({error})") from error
    return _described(probe, media, length_s)


def _decode(media: Media, start: Fraction, until_s: float) -> None:
    """Decode that much of a clip; raise `ClipError` where it ends early."""
    end = start + Fraction(until_s)
    last = start
    for at, _frame in timed_frames(media, start):
        last = at
        if at >= end:
            return
    if end - last > LONGEST_HOLD_S:
        raise ClipError(f"its pictures end after {float(last - start):.2f} s")


def _described(probe: VideoProbe, media: Media, length_s: float) -> UploadedClip:
    upright = browser_form(media)
    width = round(upright.width * upright.sample_aspect)
    return UploadedClip(
        length_s=length_s,
        frame=ClipFrame(width, upright.height),
        frame_rate=probe.frame_rate,
        video_codec=probe.video_codec,
        container=probe.container,
        size_bytes=probe.size_bytes,
        plays_in_browsers=not any(warning.startswith("browsers") for warning in probe.warnings),
    )
