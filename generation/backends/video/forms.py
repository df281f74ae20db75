"""Decoded frames of any file by time, and clips converted to the form of a recording."""

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction

import av
from av.video.frame import VideoFrame

from annotation.backends.media.aac import SoundForm, aac_config
from annotation.backends.media.exceptions import SourceError
from annotation.backends.media.facts import SPLICED_PIXEL_FORMAT, Media, SoundTrack
from annotation.backends.media.frames import ShownFrames, timed_frames
from annotation.backends.media.picture_form import DEINTERLACED, SIDEWAYS, TURNS, Filters
from generation.backends.video.edits import Clip
from generation.backends.video.exceptions import ClipError

# How long the last frame of a clip may be held at its end; more means that the file is damaged.
LONGEST_HOLD_S = Fraction(1, 2)
BROWSER_SAMPLE_RATE = 48_000
BROWSER_BIT_RATE = 160_000
DEEPEST_REORDERING = 2


def at_rate(
    timed: Iterator[tuple[Fraction, VideoFrame]], start: Fraction, rate: Fraction, count: int
) -> Iterator[VideoFrame]:
    """Yield `count` frames at a constant rate: at each moment the one that is shown then.

    The last frame is held for at most `LONGEST_HOLD_S`; raises `ClipError` if that is not enough.
    """
    frames = ShownFrames(timed)
    for index in range(count):
        at = start + index / rate
        shown = frames.at(at + 1 / (4 * rate))
        if shown is None:
            raise ClipError("the clip has no frame that can be decoded")
        if frames.following is None and at - shown[0] > LONGEST_HOLD_S:
            raise ClipError(f"the clip ends after {index} of {count} frames")
        yield shown[1]


def brought_to_form(
    frames: Iterator[VideoFrame], media: Media, target: Media
) -> Iterator[VideoFrame]:
    """Yield the frames of one file in the form of another: they fill its picture, cropped evenly.

    A recording that players rotate keeps its coded orientation, so the clip is rotated the other
    way.
    """
    is_interlaced = any("interlaced" in obstacle for obstacle in media.obstacles)
    is_same = (
        (media.width, media.height, media.rotation, media.sample_aspect)
        == (target.width, target.height, target.rotation, target.sample_aspect)
        and media.pixel_format == SPLICED_PIXEL_FORMAT
        and not is_interlaced
    )
    if is_same:
        yield from frames
        return
    # After rotating against the player's rotation, the picture has the coded size.
    is_on_side = target.rotation in SIDEWAYS
    size = (target.height, target.width) if is_on_side else (target.width, target.height)
    filters: Filters | None = None
    for index, frame in enumerate(frames):
        if filters is None:
            steps = (
                *((DEINTERLACED,) if is_interlaced else ()),
                *TURNS[media.rotation],
                _crop(frame, media, target),
                f"scale={size[0]}:{size[1]}:flags=bicubic",
                *TURNS[-target.rotation % 360],
                f"format={SPLICED_PIXEL_FORMAT}",
            )
            filters = Filters(steps, frame, target.frame_rate)
        yield from filters.through(frame, index)
    if filters is not None:
        yield from filters.through(None)


def _crop(frame: VideoFrame, media: Media, target: Media) -> str:
    """The filter that crops the upright frame to the shape of the target."""
    width, height = frame.width, frame.height
    aspect = media.sample_aspect
    if media.rotation in SIDEWAYS:
        width, height, aspect = height, width, 1 / aspect
    shape = Fraction(target.width, target.height) * target.sample_aspect
    if target.rotation in SIDEWAYS:
        shape = 1 / shape
    # The shape is that of the displayed picture; pixels need not be square.
    wanted_width = min(Fraction(width), height * shape / aspect)
    wanted_height = min(Fraction(height), width * aspect / shape)
    crop_width = max(2, 2 * round(wanted_width / 2))
    crop_height = max(2, 2 * round(wanted_height / 2))
    return f"crop={min(crop_width, width)}:{min(crop_height, height)}"


def browser_form(media: Media) -> Media:
    """The form of the recording after re-encoding: upright, even size, constant rate from 0."""
    width, height = media.width, media.height
    aspect = media.sample_aspect
    if media.rotation in SIDEWAYS:
        width, height, aspect = height, width, 1 / aspect
    return replace(
        media,
        width=max(2, width // 2 * 2),
        height=max(2, height // 2 * 2),
        sample_aspect=aspect,
        pixel_format=SPLICED_PIXEL_FORMAT,
        time_base=1 / media.frame_rate,
        step=1,
        first_pts=0,
        lead=DEEPEST_REORDERING,
        rotation=0,
    )


def sound_form(sound: SoundTrack | None) -> SoundForm | None:
    """The form of new sound: the recording's if AAC-LC supports it, else stereo at 48 kHz."""
    if sound is None:
        return None
    if sound.sample_rate <= BROWSER_SAMPLE_RATE and aac_config(sound.sample_rate, sound.layout):
        return SoundForm(sound.sample_rate, sound.layout, BROWSER_BIT_RATE)
    return SoundForm(BROWSER_SAMPLE_RATE, "stereo", BROWSER_BIT_RATE)


def source_frames(media: Media, target: Media, first: int, last: int) -> Iterator[VideoFrame]:
    """Yield frames of any recording on its grid, in the form of the target.

    Raises `SourceError` when they cannot be decoded.
    """
    if first >= last:
        return
    start = media.time_of(first)
    frames = at_rate(timed_frames(media, start), start, media.frame_rate, last - first)
    try:
        yield from brought_to_form(frames, media, target)
    except ClipError as error:
        raise SourceError(f"{media.path.name}, from frame {first} on: {error}") from error
    except av.FFmpegError as error:
        raise SourceError(f"{media.path.name} is damaged ({error})") from error


def clip_frames(clip: Clip, target: Media) -> Iterator[VideoFrame]:
    """Yield the frames of a clip in the size, shape and rate of the recording."""
    timed = timed_frames(clip.media, clip.start)
    try:
        frames = at_rate(timed, clip.start, target.frame_rate, clip.frame_count)
        yield from brought_to_form(frames, clip.media, target)
    except av.FFmpegError as error:
        raise ClipError(f"the clip {clip.source.path.name} is damaged ({error})") from error
    except ClipError as error:
        raise ClipError(f"{clip.source.path.name}: {error}") from error
