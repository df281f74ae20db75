"""The fast path of a splice: packets are copied, and only frames around the cuts are encoded."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import chain
from pathlib import Path

import av
from av.container import InputContainer, OutputContainer

from annotation.backends.media.container import (
    opened,
    opened_pictures,
    picture_stream,
    sound_stream,
)
from annotation.backends.media.frames import FrameReader, frame_reader, frames_between
from annotation.backends.media.quiet_files import QUIET
from generation.backends.video.checking.expected import CopiedClip
from generation.backends.video.encoding import EncodedFrame, encoded
from generation.backends.video.forms import clip_frames
from generation.backends.video.sound.copying import CopiedSound
from generation.backends.video.splicing.blending import blended
from generation.backends.video.splicing.packet_plan import PacketPlan, PictureSpan, record_of
from generation.backends.video.timed_check import TimedCheck

# Room for the table of contents at the front of the file: the most bytes per packet, and the rest.
_TABLE_BYTES_PER_PACKET = 32
_TABLE_BYTES = 16_384


@dataclass(slots=True)
class Written:
    """What was written: frames copied from the recording, encoded, and copied from stored clips.

    `new_ranges` are (first, count) of the new file's frames that are not the recording's.
    """

    copied_count: int = 0
    encoded_count: int = 0
    clip_copied_count: int = 0
    new_ranges: list[tuple[int, int]] = field(default_factory=list)
    clips: list[CopiedClip] = field(default_factory=list)


def write_packets(plan: PacketPlan, path: Path, timed_check: TimedCheck | None = None) -> Written:
    """Write the spliced file without verifying it; `timed_check` checks if it is still wanted."""
    with opened(plan.media.path) as source, frame_reader(plan.media) as frames:
        new_count = sum(span.packet_count for span in plan.sound_spans)
        sound_count = len(plan.media.sound.packet_pts) + new_count if plan.media.sound else 0
        table_size = _TABLE_BYTES + _TABLE_BYTES_PER_PACKET * (plan.frame_count + sound_count)
        options = {**QUIET, "moov_size": str(table_size)}
        with av.open(str(path), "w", format="mp4", options=options) as output:
            writer = _Writer(plan, source, frames, output)
            writer.write(timed_check or TimedCheck())
    return writer.written


class _Writer:
    """Goes once through the recording's packets, computing the time stamps of the new file."""

    def __init__(
        self,
        plan: PacketPlan,
        source: InputContainer,
        frames: FrameReader,
        output: OutputContainer,
    ) -> None:
        self.plan = plan
        self.media = plan.media
        self.source = source
        self.frames = frames
        self.output = output
        self.pictures_in = picture_stream(source)
        self.sound_in = sound_stream(source)
        self.pictures_out = output.add_stream_from_template(self.pictures_in)
        self.pictures_out.codec_context.extradata = plan.record.to_bytes()
        if plan.media.rotation:
            self.pictures_out.set_display_rotation(-plan.media.rotation)
        self.sound: CopiedSound | None = None
        if self.sound_in is not None and plan.media.sound is not None:
            self.sound = CopiedSound(
                output, self.sound_in, plan.media, plan.media.sound, plan.parts, plan.sound_spans
            )
        self.spans = list(plan.spans)
        self.written = Written()
        self.growth = self.shown_count = self.decoded_count = 0

    def write(self, timed_check: TimedCheck) -> None:
        self.timed_check = timed_check
        streams = [item for item in (self.pictures_in, self.sound_in) if item is not None]
        picture_index = 0
        sound = self.sound
        for packet in timed_check.over(self.source.demux(streams)):
            if packet.dts is None:
                continue
            if packet.stream is self.pictures_in:
                self._open_picture_spans(picture_index)
                if not self.spans or picture_index < self.spans[0].first:
                    packet.pts = (packet.pts or 0) + self.growth * self.media.step
                    packet.dts = self._next_dts()
                    packet.stream = self.pictures_out
                    self.output.mux_one(packet)
                    self.written.copied_count += 1
                    self.shown_count += 1
                picture_index += 1
            elif sound is not None:
                sound.write(packet)
        # Edits at the very end follow the last packet.
        if sound is not None:
            sound.write_rest()
        self._open_picture_spans(self.media.frame_count)

    def _open_picture_spans(self, index: int) -> None:
        """Write the spans that end here.

        Not where they begin: by now the sound beside them is written. If it came later, the muxer
        would buffer all their pictures until then.
        """
        while self.spans and self.spans[0].last <= index:
            span = self.spans.pop(0)
            start = self.shown_count
            for frame in self.timed_check.over(self._span_frames(span)):
                self._put_picture(frame)
            self.written.new_ranges.append((start, self.shown_count - start))
            self.growth += span.growth

    def _put_picture(self, frame: EncodedFrame) -> None:
        """Write a frame; its index counts from the first frame of its run, a key frame."""
        if frame.is_key and frame.index == 0:
            self._run_start = self.shown_count
        packet = av.Packet(frame.data)
        packet.pts = self.media.first_pts + (self._run_start + frame.index) * self.media.step
        packet.dts = self._next_dts()
        packet.time_base = self.media.time_base
        packet.duration = self.media.step
        packet.is_keyframe = frame.is_key
        packet.stream = self.pictures_out
        self.output.mux_one(packet)
        self.shown_count += 1

    def _next_dts(self) -> int:
        media = self.media
        dts = media.first_pts - media.lead + self.decoded_count * media.step
        self.decoded_count += 1
        return dts

    def _span_frames(self, span: PictureSpan) -> Iterator[EncodedFrame]:
        """Yield runs of encoded frames, and the packets of stored clips between them."""
        waiting: list[Iterator[av.VideoFrame]] = []
        at = span.first
        for edit in span.edits:
            waiting.append(self.frames.between(at, edit.first))
            for clip in edit.clips:
                if clip.source in self.plan.copied:
                    yield from self._encoded(waiting)
                    waiting = []
                    self.written.clips.append(CopiedClip(self.shown_count, clip.media))
                    with opened_pictures(clip.source.path) as (container, stream):
                        for packet in container.demux(stream):
                            if packet.pts is None:
                                continue
                            index = (packet.pts - clip.media.first_pts) // clip.media.step
                            self.written.clip_copied_count += 1
                            yield EncodedFrame(bytes(packet), index, packet.is_keyframe)
                else:
                    waiting.append(clip_frames(clip, self.media))
            if self.plan.cross_fade_frames and edit.clips:
                clips = chain.from_iterable(waiting[-len(edit.clips) :])
                waiting = waiting[: -len(edit.clips)]
                waiting.append(
                    blended(
                        clips,
                        edit,
                        self.media.frame_count,
                        partial(frames_between, self.media),
                        self.plan.cross_fade_frames,
                    )
                )
            at = edit.last
        waiting.append(self.frames.between(at, span.last))
        yield from self._encoded(waiting)

    def _encoded(self, runs: Sequence[Iterator[av.VideoFrame]]) -> Iterator[EncodedFrame]:
        for frame in encoded(
            chain.from_iterable(runs),
            self.media,
            set_id=self.plan.set_id,
            length_size=record_of(self.media).length_size,
        ):
            self.written.encoded_count += 1
            yield frame
