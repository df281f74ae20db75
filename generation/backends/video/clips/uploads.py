"""Inspect an uploaded clip by its content, before anything else uses it."""

from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

import av

from annotation.backends.media.exceptions import VideoError
from annotation.backends.media.facts import read_media
from annotation.backends.media.frames import timed_frames
from annotation.backends.media.probe import probe_video
from generation.backends.video.edits import ClipSource, look_into
from generation.backends.video.exceptions import ClipError
from generation.backends.video.forms import LONGEST_HOLD_S, browser_form
from generation.engine.splicing.upload_rules import ClipFrame

# A clip lasts seconds, and decoding a longer upload would waste the server's time.
LONGEST_UPLOAD_S = 600.0


@dataclass(frozen=True, slots=True)
class UploadedClip:
    """What an uploaded clip is: length in seconds, upright picture, codec, container and size.

    `plays_in_browsers`: it can be shown without being converted.
    """

    length_s: float
    frame: ClipFrame
    frame_rate: float
    video_codec: str
    container: str
    size_bytes: int
    plays_in_browsers: bool


def look_at_upload(path: Path, *, used_s: float) -> UploadedClip:
    """What a clip is, after decoding its first `used_s` seconds; raises `ClipError`."""
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
        last, end = clip.start, clip.start + Fraction(min(used_s, length_s))
        for last, _ in timed_frames(media, clip.start):
            if last >= end:
                break
        if end - last > LONGEST_HOLD_S:
            raise ClipError(f"its pictures end after {float(last - clip.start):.2f} s")
    except (VideoError, av.FFmpegError) as error:
        raise ClipError(f"the file is damaged ({error})") from error
    upright = browser_form(media)
    return UploadedClip(
        length_s=length_s,
        frame=ClipFrame(round(upright.width * upright.sample_aspect), upright.height),
        frame_rate=probe.frame_rate,
        video_codec=probe.video_codec,
        container=probe.container,
        size_bytes=probe.size_bytes,
        plays_in_browsers=not any(warning.startswith("browsers") for warning in probe.warnings),
    )
