"""Packets and samples by arithmetic alone: no file is opened."""

from fractions import Fraction
from itertools import pairwise
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from annotation.backends.media.facts import Media, SoundTrack
from generation.backends.video.edits import Clip, ClipSource, FrameEdit
from generation.backends.video.sound.plan import sound_parts, sound_spans

PACKET = 1024


def recording(rate: Fraction, frame_count: int, sample_rate: int, first_pts: int = -1024) -> Media:
    packet_count = int(frame_count / rate * sample_rate) // PACKET + 2
    times = tuple(first_pts + index * PACKET for index in range(packet_count))
    sound = SoundTrack("aac", sample_rate, "stereo", times, b"", 0, True)
    return Media(
        path=Path("recording.mp4"),
        width=16,
        height=16,
        pixel_format="yuv420p",
        frame_rate=rate,
        time_base=1 / rate,
        step=1,
        first_pts=0,
        lead=0,
        frame_count=frame_count,
        key_frames=(0,),
        rotation=0,
        sample_aspect=Fraction(1),
        colours=(0, 0, 0, 0),
        record=None,
        sound=sound,
        obstacles=(),
        can_copy_sound=True,
    )


def edit(media: Media, first: int, last: int, made: int) -> FrameEdit:
    clips = (Clip(ClipSource(Path("clip.mp4")), media, Fraction(0), made),) if made else ()
    return FrameEdit(first, last, clips)


def test_parts_follow_the_frames_to_the_sample() -> None:
    media = recording(Fraction(30), 300, 48_000)

    parts = sound_parts(media, [edit(media, 60, 90, 45)], 48_000)

    assert [(part.start, part.end, part.shift, part.clip is None) for part in parts] == [
        (0, 96_000, 0, True),
        (96_000, 168_000, 0, False),
        (168_000, 504_000, 24_000, True),
    ]


def test_a_span_starts_a_packet_before_the_cut_and_its_tail_keeps_its_time() -> None:
    media = recording(Fraction(30), 300, 48_000)
    parts = sound_parts(media, [edit(media, 60, 90, 45)], 48_000)
    assert media.sound is not None

    [span] = sound_spans(media.sound, parts)

    times = media.sound.packet_pts
    # The cut is at sample 96,000; packet 93 lies from 94,208 - 1,024 to there.
    assert times[span.first] + PACKET <= 96_000 < times[span.first + 1] + PACKET
    assert times[span.last - 1] < 144_000 <= times[span.last]
    gap = times[span.last] + span.shift - (span.start + span.packet_count * PACKET)
    assert 0 <= gap < PACKET


@st.composite
def edited(draw: st.DrawFn) -> tuple[Media, list[FrameEdit]]:
    rate = draw(st.sampled_from([Fraction(24), Fraction(30000, 1001), Fraction(60)]))
    media = recording(
        rate,
        draw(st.integers(1, 400)),
        draw(st.sampled_from([44_100, 48_000])),
        draw(st.sampled_from([-1024, 0, 2016])),
    )
    places = sorted(draw(st.lists(st.integers(0, media.frame_count), max_size=8)))
    pairs = list(zip(places[::2], places[1::2], strict=False))
    return media, [edit(media, *pair, draw(st.integers(0, 90))) for pair in pairs]


@given(edited())
def test_parts_have_no_gap_and_end_with_the_last_frame(case) -> None:
    media, edits = case
    assert media.sound is not None
    rate = media.sound.sample_rate

    parts = sound_parts(media, edits, rate)

    assert parts[0].start == 0
    assert all(one.end == other.start for one, other in pairwise(parts))
    count = media.frame_count + sum(item.growth for item in edits)
    assert parts[-1].end == round(count / media.frame_rate * rate)


@given(edited())
def test_packets_never_overlap_and_gaps_are_shorter_than_a_packet(case) -> None:
    media, edits = case
    sound = media.sound
    assert sound is not None
    parts = sound_parts(media, edits, sound.sample_rate)
    spans = sound_spans(sound, parts)

    places: list[int] = []
    copied_from = shift = 0
    for span in spans:
        assert span.first >= copied_from
        places += [time + shift for time in sound.packet_pts[copied_from : span.first]]
        places += [span.start + index * PACKET for index in range(span.packet_count)]
        copied_from, shift = span.last, span.shift
    places += [time + shift for time in sound.packet_pts[copied_from:]]

    distances = [later - earlier for earlier, later in pairwise(places)]
    assert all(PACKET <= distance < 2 * PACKET for distance in distances)
