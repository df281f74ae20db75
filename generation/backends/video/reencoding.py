"""The slow path of a splice: everything is decoded and encoded anew, for whatever decodes.

The result is what a browser needs: H.264 yuv420p at a constant rate, closed groups of at most two
seconds, AAC, the table of contents in front, upright pictures, deinterlaced.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import chain
from pathlib import Path
from typing import cast

import av
from av.audio.codeccontext import AudioCodecContext
from av.video.codeccontext import VideoCodecContext
from av.video.frame import PictureType, VideoFrame

from annotation.backends.quiet_files import QUIET, unsigned_packet
from generation.backends.video.blending import blended
from generation.backends.video.edits import FrameEdit
from generation.backends.video.encoding import Quality, configure
from generation.backends.video.exceptions import ClipError, SourceError
from generation.backends.video.media import SPLICED_PIXEL_FORMAT, Media, Sound, aac_config
from generation.backends.video.pictures import Conformer, at_rate, clip_frames, timed_frames
from generation.backends.video.sound import (
    Samples,
    SoundForm,
    configure_sound,
    rendered,
    sound_frames,
)
from generation.backends.video.sound_plan import sound_parts
from generation.backends.video.watching import Pulse

QUALITY = Quality(rate_factor=18, preset="veryfast", is_small=True)
BROWSER_SAMPLE_RATE = 48_000
BROWSER_BIT_RATE = 160_000
DEEPEST_REORDERING = 2
_TABLE_BYTES_PER_PACKET = 40
_TABLE_BYTES = 16_384


def browser_form(media: Media) -> Media:
    """Return what the recording becomes: upright, of even size, at a constant rate from 0."""
    width, height = media.width, media.height
    aspect = media.sample_aspect
    if media.rotation in {90, 270}:
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


def sound_form(sound: Sound | None) -> SoundForm | None:
    """Return the form of new sound: the recording's where AAC-LC has it, else stereo at 48 kHz."""
    if sound is None:
        return None
    if sound.sample_rate <= BROWSER_SAMPLE_RATE and aac_config(sound.sample_rate, sound.layout):
        return SoundForm(sound.sample_rate, sound.layout, BROWSER_BIT_RATE)
    return SoundForm(BROWSER_SAMPLE_RATE, "stereo", BROWSER_BIT_RATE)


def write_reencoded(
    media: Media,
    edits: Sequence[FrameEdit],
    path: Path,
    *,
    cross_fade_frames: int = 0,
    pulse: Pulse | None = None,
) -> int:
    """Write the spliced file and return its number of frames; nothing is checked here.

    `pulse` looks whether the file is still wanted.
    """
    target = browser_form(media)
    count = media.frame_count + sum(edit.growth for edit in edits)
    form = sound_form(media.sound)
    blocks: Iterable[Samples] = ()
    if form is not None:
        parts = sound_parts(media, edits, form.sample_rate)
        blocks = rendered(parts, media, form, parts[0].start, parts[-1].end)
    frames = (pulse or Pulse()).over(_spliced_frames(media, target, edits, cross_fade_frames))
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


def source_frames(media: Media, target: Media, first: int, last: int) -> Iterator[VideoFrame]:
    """Yield frames of any recording on its grid, in the form of the target.

    Raises `SourceError` when they cannot be decoded.
    """
    if first >= last:
        return
    start = media.time_of(first)
    frames = at_rate(timed_frames(media, start), start, media.frame_rate, last - first)
    try:
        yield from Conformer(media, target).conformed(frames)
    except ClipError as error:
        raise SourceError(f"{media.path.name}, from frame {first} on: {error}") from error
    except av.FFmpegError as error:
        raise SourceError(f"{media.path.name} is damaged ({error})") from error


def write_file(
    path: Path,
    frames: Iterator[VideoFrame],
    target: Media,
    frame_count: int,
    *,
    blocks: Iterable[Samples],
    form: SoundForm | None,
    quality: Quality,
    set_id: int = 0,
) -> None:
    """Encode pictures and sound into an MP4 file, side by side, so that little has to wait."""
    packet_count = 4 * frame_count + 1000
    table_bytes = _TABLE_BYTES + _TABLE_BYTES_PER_PACKET * packet_count
    options = {**QUIET, "moov_size": str(table_bytes)}
    with av.open(str(path), "w", format="mp4", options=options) as output:
        pictures = output.add_stream("libx264", rate=target.frame_rate)
        configure(
            cast(VideoCodecContext, pictures.codec_context), target, set_id=set_id, quality=quality
        )
        if target.rotation:
            pictures.set_display_rotation(-target.rotation)
        sound = None
        if form is not None:
            sound = output.add_stream("aac", rate=form.sample_rate)
            configure_sound(cast(AudioCodecContext, sound.codec_context), form)
        heard = sound_frames(blocks, form) if form is not None else iter(())
        heard_until = Fraction(0)
        for index, frame in enumerate(frames):
            while sound is not None and heard_until <= index / target.frame_rate:
                sample_frame = next(heard, None)
                if sample_frame is None:
                    break
                heard_until += Fraction(sample_frame.samples, sample_frame.sample_rate)
                output.mux(sound.encode(sample_frame))
            if frame.format.name != SPLICED_PIXEL_FORMAT:
                frame = frame.reformat(format=SPLICED_PIXEL_FORMAT)
            frame.pts, frame.time_base = index, 1 / target.frame_rate
            frame.pict_type = PictureType.NONE
            output.mux([unsigned_packet(packet) for packet in pictures.encode(frame)])
        for sample_frame in heard:
            if sound is not None:
                output.mux(sound.encode(sample_frame))
        output.mux([unsigned_packet(packet) for packet in pictures.encode(None)])
        if sound is not None:
            output.mux(sound.encode(None))
