"""Where every sample of the new sound comes from, and which AAC packets can be copied.

Positions are samples at the recording's rate on the file's own clock. AAC packets have 1,024
samples and overlap: the sound at a packet's place also depends on the packet before it, so both
sides of every border between copied and encoded packets must be made from the same sound. A copied
tail keeps its exact time; the new packets end up to 1,023 samples before it.

Source of the method: ISO/IEC 14496-3, section 4.6.11 (the overlapping windows of the filter bank),
and measurements of a prototype.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from annotation.backends.media.aac import AAC_PACKET_SAMPLES
from annotation.backends.media.facts import Media, SoundTrack
from generation.backends.video.edits import Clip, FrameEdit

# The encoder's first packets depend on missing predecessors, so this many are made and discarded.
PRE_ROLL_PACKETS = 2


@dataclass(frozen=True, slots=True)
class SoundPart:
    """Samples `start` up to, not including, `end` of the new sound.

    From the recording (`clip` None): its sample n is at n + `shift`. From a clip: it starts here.
    """

    start: int
    end: int
    shift: int = 0
    clip: Clip | None = None


@dataclass(frozen=True, slots=True)
class SoundSpan:
    """New packets replace packets `first` up to, not including, `last` of the recording.

    `packet_count` new ones begin at `start`; packet `last` and those after it are moved by `shift`
    samples. After the new packets the encoder needs the sound of the recording from `overlap` on,
    with which the copied packets were made; None at the end of the file.
    """

    first: int
    last: int
    start: int
    packet_count: int
    shift: int
    overlap: int | None


def sound_parts(media: Media, edits: Sequence[FrameEdit], sample_rate: int) -> list[SoundPart]:
    """The whole new sound, from the time of the first frame to the end of the last."""
    parts: list[SoundPart] = []
    shift_frames = shown = 0

    def position(frame: int) -> int:
        return round(media.time_of(frame) * sample_rate)

    for edit in edits:
        start, end = position(shown + shift_frames), position(edit.first + shift_frames)
        parts.append(SoundPart(start, end, start - position(shown)))
        at = edit.first + shift_frames
        for clip in edit.clips:
            parts.append(SoundPart(position(at), position(at + clip.frame_count), 0, clip))
            at += clip.frame_count
        shift_frames += edit.growth
        shown = edit.last
    start = position(shown + shift_frames)
    end = position(media.frame_count + shift_frames)
    parts.append(SoundPart(start, end, start - position(shown)))
    return parts


def sound_spans(sound: SoundTrack, parts: Sequence[SoundPart]) -> list[SoundSpan]:
    """The packets to encode, in order; `parts` are those of `sound_parts`."""
    kept = [part for part in parts if part.clip is None]
    spans: list[SoundSpan] = []
    opened: tuple[int, int] | None = None
    for before, after in pairwise(kept):
        first, start = opened or _head(sound, before)
        last = bisect_left(sound.packet_pts, after.start - after.shift)
        is_final = after is kept[-1]
        room = len(sound.packet_pts) if is_final else _head(sound, after)[0]
        if last >= room and not is_final:
            # The recording between two edits is too short to copy any packet of it.
            opened = (first, start)
            continue
        if last < len(sound.packet_pts):
            tail = sound.packet_pts[last]
            count = max(0, (tail + after.shift - start) // AAC_PACKET_SAMPLES)
            spans.append(SoundSpan(first, last, start, count, after.shift, tail))
        else:
            count = max(0, -((start - after.end) // AAC_PACKET_SAMPLES))
            spans.append(SoundSpan(first, last, start, count, after.shift, None))
        opened = None
    return spans


def _head(sound: SoundTrack, part: SoundPart) -> tuple[int, int]:
    """The first packet that has to be encoded because the part ends, and its new place.

    The packet before it overlaps into its place, so the recording must last until there.
    """
    times = sound.packet_pts
    cut = part.end - part.shift
    index = max(0, bisect_right(times, cut - AAC_PACKET_SAMPLES) - 1)
    if index == len(times) - 1 and times[index] + 2 * AAC_PACKET_SAMPLES <= cut:
        # The sound of the recording ends before the cut.
        return len(times), times[-1] + AAC_PACKET_SAMPLES + part.shift
    return index, times[index] + part.shift
