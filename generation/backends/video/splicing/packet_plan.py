"""What the fast path of a splice copies and what it encodes, decided before a byte is written.

Everything between the last key frame before a cut and the first one after it is encoded once. These
key frames must be instant refreshes, or copied packets would refer to frames that no longer exist.
All parameter sets are in the track's record, so the stream need not switch them.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from av.container import InputContainer
from av.packet import Packet
from av.video.stream import VideoStream

from annotation.backends.media.container import opened_pictures
from annotation.backends.media.facts import Media
from annotation.backends.media.h264 import AvcRecord, is_instant_refresh
from generation.backends.video.edits import ClipSource, FrameEdit
from generation.backends.video.encoding import parameter_sets_of
from generation.backends.video.sound.plan import SoundPart, SoundSpan, sound_parts, sound_spans


class CannotCopyPackets(Exception):  # noqa: N818 - not an error: the other path is taken
    """The recording has an obstacle that is found only at the cuts."""


@dataclass(frozen=True, slots=True)
class PictureSpan:
    """Frames `first` up to, not including, `last` are encoded; a key frame or the end follows."""

    first: int
    last: int
    edits: tuple[FrameEdit, ...]

    @property
    def growth(self) -> int:
        return sum(edit.growth for edit in self.edits)


@dataclass(frozen=True, slots=True)
class PacketPlan:
    """Everything that is decided before a byte is written."""

    media: Media
    spans: tuple[PictureSpan, ...]
    parts: tuple[SoundPart, ...]
    sound_spans: tuple[SoundSpan, ...]
    record: AvcRecord
    copied: frozenset[ClipSource]
    set_id: int
    cross_fade_frames: int

    @property
    def frame_count(self) -> int:
        return self.media.frame_count + sum(span.growth for span in self.spans)


def plan_packets(
    media: Media, edits: Sequence[FrameEdit], *, cross_fade_frames: int = 0
) -> PacketPlan:
    """How to splice; raises `CannotCopyPackets` if packets cannot be copied at the cuts."""
    spans = _with_copied_heads(media, picture_spans(media, edits))
    used: set[int] = set()
    for item in (media, *(clip.media for edit in edits for clip in edit.clips)):
        if item.record is not None:
            used |= item.record.sequence_ids | item.record.picture_ids
    set_id = next((number for number in range(1, 32) if number not in used), None)
    if set_id is None:
        raise CannotCopyPackets("the track uses every number that a parameter set can have")
    record = record_of(media).with_sets(parameter_sets_of(media, set_id=set_id))
    record, copied = _with_clips(record, media, () if cross_fade_frames else edits)
    parts = sound_parts(media, edits, media.sound.sample_rate) if media.sound else []
    spans_of_sound = sound_spans(media.sound, parts) if media.sound else []
    return PacketPlan(
        media=media,
        spans=spans,
        parts=tuple(parts),
        sound_spans=tuple(spans_of_sound),
        record=record,
        copied=copied,
        set_id=set_id,
        cross_fade_frames=cross_fade_frames,
    )


def record_of(media: Media) -> AvcRecord:
    if media.record is None:
        raise CannotCopyPackets(f"{media.path.name} has no avcC record")
    return media.record


def picture_spans(media: Media, edits: Sequence[FrameEdit]) -> tuple[PictureSpan, ...]:
    """The stretches between key frames that contain edits; stretches that meet are merged."""
    spans: list[PictureSpan] = []
    for edit in edits:
        first = max((key for key in media.key_frames if key <= edit.first), default=0)
        if edit.first == media.frame_count:
            first = edit.first
        last = min((key for key in media.key_frames if key >= edit.last), default=media.frame_count)
        if spans and first < spans[-1].last:
            before = spans.pop()
            spans.append(PictureSpan(before.first, last, (*before.edits, edit)))
        else:
            spans.append(PictureSpan(first, last, (edit,)))
    return tuple(spans)


def _with_copied_heads(media: Media, spans: Sequence[PictureSpan]) -> tuple[PictureSpan, ...]:
    """The spans without the frames before their first cut that can be copied.

    Checks that the key frame at which copying starts again is an instant refresh.
    """
    with opened_pictures(media.path) as (container, stream):
        for span in spans:
            if span.last < media.frame_count:
                packet = next(_packets_from(container, stream, media, span.last), None)
                if packet is None:
                    raise CannotCopyPackets(f"frame {span.last} cannot be found in the file")
                if not is_instant_refresh(bytes(packet), record_of(media).length_size):
                    frame = ((packet.pts or 0) - media.first_pts) // media.step
                    raise CannotCopyPackets(
                        f"the key frame at {float(frame / media.frame_rate):.2f} s,"
                        " after a cut, is in an open group of pictures"
                    )
        return tuple(
            replace(span, first=_copied_until(container, stream, media, span)) for span in spans
        )


def _packets_from(
    container: InputContainer, stream: VideoStream, media: Media, frame: int
) -> Iterator[Packet]:
    """Yield the packets from a key frame on, in decoding order."""
    wanted = media.first_pts + frame * media.step - media.lead
    container.seek(wanted, stream=stream)
    for packet in container.demux(stream):
        if packet.dts is not None and packet.dts >= wanted:
            yield packet


def _copied_until(
    container: InputContainer, stream: VideoStream, media: Media, span: PictureSpan
) -> int:
    """The frame before the first cut up to which packets can be copied.

    At that place the packets so far are exactly the frames so far, so they need no later packet.
    With B-frames it is at most a few frames before the cut.
    """
    cut = span.edits[0].first
    if span.first >= cut:
        return span.first
    until = highest = span.first
    passed = 0
    for packet in _packets_from(container, stream, media, span.first):
        if packet.pts is None:
            continue
        index = (packet.pts - media.first_pts) // media.step
        if index < span.first:
            raise CannotCopyPackets(
                f"the key frame at {float(span.first / media.frame_rate):.2f} s,"
                " before a cut, is in an open group of pictures"
            )
        highest = max(highest, index)
        passed += 1
        if span.first + passed > cut:
            break
        if highest == span.first + passed - 1:
            until = span.first + passed
    return until


def _with_clips(
    record: AvcRecord, media: Media, edits: Sequence[FrameEdit]
) -> tuple[AvcRecord, frozenset[ClipSource]]:
    """The record with the parameter sets of all clips whose packets can be copied, and these."""
    copied = set()
    for clip in (clip for edit in edits for clip in edit.clips):
        other, theirs = clip.media, clip.media.record
        if (
            theirs is not None
            and clip.source.is_whole
            and not other.obstacles
            and (other.width, other.height, other.rotation, other.frame_rate, other.sample_aspect)
            == (media.width, media.height, media.rotation, media.frame_rate, media.sample_aspect)
            and theirs.length_size == record_of(media).length_size
            and other.reorder_depth <= media.reorder_depth
            and record.is_apart_from(theirs)
        ):
            record = record.with_sets((*theirs.sequence_sets, *theirs.picture_sets))
            copied.add(clip.source)
    return record, frozenset(copied)
