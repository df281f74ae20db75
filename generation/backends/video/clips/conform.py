"""Store a clip once in the form of its recording, so that splicing can copy its packets.

Size, shape, rate, pixel format, reordering and sample rate become the recording's, and the clip's
parameter sets get their own number.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

from av.video.frame import VideoFrame

from annotation.backends.media.aac import SoundForm
from annotation.backends.media.exceptions import SourceError
from annotation.backends.media.facts import Media, read_media
from annotation.backends.media.frames import frames_between
from annotation.backends.media.memory import memory_released, release_memory
from annotation.backends.media.samples import Samples, samples_of
from annotation.backends.publishing import draft_of, publish
from generation.backends.video.edits import Clip, ClipSource, look_into
from generation.backends.video.encoding import Quality, encoding_sound, write_file
from generation.backends.video.exceptions import ClipError, VerificationError
from generation.backends.video.forms import browser_form, clip_frames, sound_form
from generation.backends.video.timed_check import TimedCheck

# Recordings use 0 and splices 1 upwards; x264 accepts 0 to 31.
CLIP_SET_ID = 30
QUALITY = Quality(rate_factor=16, preset="veryfast", is_small=True)


@dataclass(frozen=True, slots=True)
class ConformedClip:
    """A stored clip with an exact number of frames at the recording's rate."""

    path: Path
    frame_count: int
    duration_s: float
    has_sound: bool


def form_for_clips(recording: Media) -> Media:
    return browser_form(recording) if recording.obstacles else recording


def conform_clip(
    clip: Path,
    recording: Media,
    out: Path,
    *,
    longest_s: float | None = None,
    timed_check: TimedCheck | None = None,
) -> ConformedClip:
    """Write the clip to `out` in the recording's form; cut it after `longest_s`.

    `timed_check` checks whether it is still wanted. Raises `ClipError` if the clip cannot be read.
    """
    target = form_for_clips(recording)
    whole = look_into(ClipSource(clip), target)
    count = whole.frame_count
    if longest_s is not None:
        count = max(1, min(count, round(Fraction(longest_s) * target.frame_rate)))
    cut = Clip(whole.source, whole.media, whole.start, count)
    form = sound_form(recording.sound) if whole.media.sound else None
    blocks: Iterable[Samples] = ()
    if form is not None:
        blocks = samples_of(
            clip, form, whole.start, round(cut.frame_count / target.frame_rate * form.sample_rate)
        )
    frames = (timed_check or TimedCheck()).over(clip_frames(cut, target))
    return store_clip(frames, target, count, out, blocks=blocks, form=form)


def store_clip(
    frames: Iterator[VideoFrame],
    target: Media,
    frame_count: int,
    out: Path,
    *,
    blocks: Iterable[Samples] = (),
    form: SoundForm | None = None,
    quality: Quality = QUALITY,
) -> ConformedClip:
    """Write frames that already have the target's size, check the file, and publish it."""
    with memory_released(), draft_of(out) as draft:
        write_file(
            draft,
            frames,
            target,
            frame_count,
            open_sound=encoding_sound(form, blocks),
            quality=quality,
            set_id=CLIP_SET_ID,
        )
        release_memory()
        written = read_media(draft)
        if written.frame_count != frame_count:
            raise VerificationError(
                f"the clip has {written.frame_count} frames; expected {frame_count}"
            )
        try:
            # Decode it once now, since splices copy its packets and compare them without decoding.
            for _ in frames_between(written, 0, frame_count):
                pass
        except SourceError as error:
            raise VerificationError(f"the stored clip cannot be decoded: {error}") from error
        publish(draft, out)
    return ConformedClip(out, frame_count, float(frame_count / target.frame_rate), form is not None)


def accept_upload(
    upload: Path,
    recording: Media,
    out: Path,
    *,
    shortest_s: float,
    longest_s: float,
    timed_check: TimedCheck | None = None,
) -> ConformedClip:
    """Store a clip that a person made elsewhere, for the maker `manual`.

    A longer clip is cut; one shorter than `shortest_s` raises `ClipError`. `timed_check` checks
    whether it is still wanted.
    """
    clip = look_into(ClipSource(upload), form_for_clips(recording))
    duration_s = float(clip.frame_count / recording.frame_rate)
    if duration_s < shortest_s:
        raise ClipError(f"the clip lasts {duration_s:.2f} s; expected at least {shortest_s:g} s")
    return conform_clip(upload, recording, out, longest_s=longest_s, timed_check=timed_check)
