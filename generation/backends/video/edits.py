"""Edits in seconds and clips in files, turned into whole frames of a recording."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from pathlib import Path

import av

from annotation.backends.media.container import opened_pictures
from annotation.backends.media.exceptions import SourceError
from annotation.backends.media.facts import Media, read_media
from generation.backends.video.exceptions import ClipError, EditError

# An end no further than this behind the last frame means the last frame.
END_TOLERANCE_S = 0.5


@dataclass(frozen=True, slots=True)
class ClipSource:
    """A clip: a whole file or, with both times (seconds from its first frame), a part of one."""

    path: Path
    start_s: float | None = None
    end_s: float | None = None

    @property
    def is_whole(self) -> bool:
        return self.start_s is None and self.end_s is None


@dataclass(frozen=True, slots=True)
class Edit:
    """Replace the recording from `start_s` to `end_s` (from its first frame) by clips, or none."""

    start_s: float
    end_s: float
    clips: tuple[ClipSource, ...] = ()


@dataclass(frozen=True, slots=True)
class Clip:
    """A clip that was read; it is shown for `frame_count` frames of the recording's rate."""

    source: ClipSource
    media: Media
    start: Fraction
    frame_count: int


@dataclass(frozen=True, slots=True)
class FrameEdit:
    """The clips replace frames `first` up to, not including, `last` of the recording."""

    first: int
    last: int
    clips: tuple[Clip, ...]

    @property
    def clip_frame_count(self) -> int:
        return sum(clip.frame_count for clip in self.clips)

    @property
    def growth(self) -> int:
        return self.clip_frame_count - (self.last - self.first)


def frame_edits(media: Media, edits: Sequence[Edit]) -> tuple[FrameEdit, ...]:
    """The edits on the frame grid, in order of time.

    Raises `EditError` for edits that are outside the recording, end before they start or overlap,
    and `ClipError` for clips that cannot be read.
    """
    placed = []
    for edit in sorted(edits, key=lambda edit: (edit.start_s, edit.end_s)):
        first = _frame_at(media, edit.start_s)
        last = _frame_at(media, edit.end_s)
        if last < first:
            raise EditError(f"an edit from {edit.start_s} to {edit.end_s} s ends before it starts")
        clips = tuple(look_into(clip, media) for clip in edit.clips)
        placed.append(FrameEdit(first, last, clips))
    for earlier, later in pairwise(placed):
        if later.first < earlier.last:
            raise EditError(
                f"the edits overlap: one ends at frame {earlier.last},"
                f" the next starts at frame {later.first}"
            )
    if media.frame_count + sum(edit.growth for edit in placed) <= 0:
        raise EditError("nothing would be left of the recording")
    return tuple(placed)


def _frame_at(media: Media, at_s: float) -> int:
    if not 0 <= at_s <= media.duration_s + END_TOLERANCE_S:
        raise EditError(f"{at_s} s is outside the recording, which lasts {media.duration_s:.3f} s")
    return min(round(Fraction(at_s) * media.frame_rate), media.frame_count)


def look_into(clip: ClipSource, media: Media) -> Clip:
    """The clip with its length in frames of the recording; raises `ClipError`."""
    try:
        clip_media = read_media(clip.path)
        start, length_s = clip_media.time_of(0), clip_media.duration_s
        if clip.start_s is not None and clip.end_s is not None:
            if not 0 <= clip.start_s < clip.end_s <= length_s + END_TOLERANCE_S:
                raise SourceError(
                    f"{clip.start_s} to {clip.end_s} s is not within its {length_s:.3f} s"
                )
            start += Fraction(clip.start_s)
            duration = Fraction(clip.end_s) - Fraction(clip.start_s)
        elif clip_media.obstacles:
            duration = _duration_of_packets(clip.path)
        else:
            duration = clip_media.frame_count / clip_media.frame_rate
    except SourceError as error:
        raise ClipError(f"the clip {clip.path.name} cannot be used: {error}") from error
    return Clip(clip, clip_media, start, max(1, round(duration * media.frame_rate)))


def _duration_of_packets(path: Path) -> Fraction:
    # Count packets: clips are short, and the length that a container states is often wrong.
    with opened_pictures(path) as (container, stream):
        times: list[int] = []
        length = 0
        try:
            for packet in container.demux(stream):
                if packet.pts is not None:
                    times.append(packet.pts)
                    length = packet.duration or length
        except av.FFmpegError as error:
            raise SourceError(f"it is damaged ({error})") from error
        times.sort()
        if len(times) > 1 and not length:
            length = (times[-1] - times[0]) // (len(times) - 1)
        return (times[-1] - times[0] + length) * Fraction(stream.time_base or 1)
