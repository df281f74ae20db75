"""The slow path of a splice, for any file that can be decoded: everything is encoded again.

The result is what browsers need: H.264 yuv420p at a constant rate, closed groups of at most two
seconds, AAC, the table of contents in front, upright pictures, deinterlaced. Sound that is AAC
already is copied, as on the fast path.
"""

from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

from av.container import OutputContainer
from av.video.frame import VideoFrame

from annotation.backends.media.container import opened, sound_stream
from annotation.backends.media.facts import Media
from generation.backends.video.edits import FrameEdit
from generation.backends.video.encoding import OpenSound, Quality, encoding_sound, write_file
from generation.backends.video.forms import (
    browser_form,
    clip_frames,
    sound_form,
    source_frames,
)
from generation.backends.video.sound.copying import CopiedSound, PulledSound
from generation.backends.video.sound.packets import rendered
from generation.backends.video.sound.plan import SoundSpan, sound_parts, sound_spans
from generation.backends.video.splicing.blending import blended
from generation.backends.video.timed_check import TimedCheck

QUALITY = Quality(rate_factor=18, preset="veryfast", is_small=True)


@dataclass(frozen=True, slots=True)
class Reencoded:
    """What was written: the number of frames, and the spans of encoded sound if it was copied."""

    frame_count: int
    sound_spans: tuple[SoundSpan, ...] = ()


def write_reencoded(
    media: Media,
    edits: Sequence[FrameEdit],
    path: Path,
    *,
    is_sound_copied: bool,
    cross_fade_frames: int = 0,
    timed_check: TimedCheck | None = None,
) -> Reencoded:
    """Write the spliced file without verifying it.

    `timed_check` checks whether the file is still wanted.
    """
    target = browser_form(media)
    count = media.frame_count + sum(edit.growth for edit in edits)
    frames = (timed_check or TimedCheck()).over(
        _spliced_frames(media, target, edits, cross_fade_frames)
    )
    with ExitStack() as stack:
        if is_sound_copied:
            open_sound, spans = _copied_sound(media, edits, stack)
        else:
            open_sound, spans = _encoded_sound(media, edits), ()
        write_file(path, frames, target, count, open_sound=open_sound, quality=QUALITY)
    return Reencoded(count, spans)


def _encoded_sound(media: Media, edits: Sequence[FrameEdit]) -> OpenSound:
    form = sound_form(media.sound)
    if form is None:
        return encoding_sound(None, ())
    parts = sound_parts(media, edits, form.sample_rate)
    return encoding_sound(form, rendered(parts, media, form, parts[0].start, parts[-1].end))


def _copied_sound(
    media: Media, edits: Sequence[FrameEdit], stack: ExitStack
) -> tuple[OpenSound, tuple[SoundSpan, ...]]:
    """What copies the packets of sound from the recording, which stays open with the stack."""
    source = stack.enter_context(opened(media.path))
    stream, sound = sound_stream(source), media.sound
    assert stream is not None  # noqa: S101 - its packets can be copied
    assert sound is not None  # noqa: S101
    parts = sound_parts(media, edits, sound.sample_rate)
    spans = sound_spans(sound, parts)

    def open_sound(output: OutputContainer) -> PulledSound:
        # The new pictures begin at 0, the recording's where they will.
        copied = CopiedSound(output, stream, media, sound, parts, spans, begin=parts[0].start)
        return PulledSound(copied, source.demux(stream))

    return open_sound, tuple(spans)


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
