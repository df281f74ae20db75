"""The slow path of a splice, for any file that can be decoded: everything is encoded again.

The result is what browsers need: H.264 yuv420p at a constant rate, closed groups of at most two
seconds, AAC, the table of contents in front, upright pictures, deinterlaced.
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from pathlib import Path

from av.video.frame import VideoFrame

from annotation.backends.media.facts import Media
from annotation.backends.media.samples import Samples
from generation.backends.video.edits import FrameEdit
from generation.backends.video.encoding import Quality, write_file
from generation.backends.video.forms import (
    browser_form,
    clip_frames,
    sound_form,
    source_frames,
)
from generation.backends.video.sound.packets import rendered
from generation.backends.video.sound.plan import sound_parts
from generation.backends.video.splicing.blending import blended
from generation.backends.video.timed_check import TimedCheck

QUALITY = Quality(rate_factor=18, preset="veryfast", is_small=True)


def write_reencoded(
    media: Media,
    edits: Sequence[FrameEdit],
    path: Path,
    *,
    cross_fade_frames: int = 0,
    timed_check: TimedCheck | None = None,
) -> int:
    """Write the spliced file without verifying it, and return its number of frames.

    `timed_check` checks whether the file is still wanted.
    """
    target = browser_form(media)
    count = media.frame_count + sum(edit.growth for edit in edits)
    form = sound_form(media.sound)
    blocks: Iterable[Samples] = ()
    if form is not None:
        parts = sound_parts(media, edits, form.sample_rate)
        blocks = rendered(parts, media, form, parts[0].start, parts[-1].end)
    frames = (timed_check or TimedCheck()).over(
        _spliced_frames(media, target, edits, cross_fade_frames)
    )
    write_file(path, frames, target, count, blocks=blocks, form=form, quality=QUALITY)
    return count


def _spliced_frames(
    media: Media, target: Media, edits: Sequence[FrameEdit], cross_fade_frames: int
) -> Iterator[VideoFrame]:
    shown = 0
    for edit in edits:
        yield from source_frames(media, target, shown, edit.first)
        clips: Iterator[VideoFrame] = chain.from_iterable(
            clip_frames(clip, target) for clip in edit.clips
        )
        if cross_fade_frames and edit.clips:
            clips = blended(
                clips,
                edit,
                media.frame_count,
                lambda first, last: source_frames(media, target, first, last),
                cross_fade_frames,
            )
        yield from clips
        shown = edit.last
    yield from source_frames(media, target, shown, media.frame_count)
