"""What a splice publishes, frame by frame, for every kind of recording."""

import json
from fractions import Fraction
from pathlib import Path

import av
import pytest

from annotation.backends.media.exceptions import SourceError, VideoError
from annotation.backends.media.facts import read_media
from generation.backends.video.clips.conform import conform_clip
from generation.backends.video.edits import ClipSource, Edit
from generation.backends.video.exceptions import ClipError, EditError, VerificationError
from generation.backends.video.splicing.splice import SpliceOptions, SplicePath, splice
from tests.recordings import (
    CLIP,
    Recipe,
    clip_numbers,
    expected_numbers,
    remuxed,
    shown_numbers,
    write_recording,
)


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("recordings")


@pytest.fixture(scope="session")
def plain(folder: Path) -> Path:
    return write_recording(folder / "plain.mp4")


@pytest.fixture(scope="session")
def clip(folder: Path) -> Path:
    return write_recording(folder / "clip.mp4", CLIP)


@pytest.fixture(scope="session")
def conformed(folder: Path, plain: Path, clip: Path) -> Path:
    return conform_clip(clip, read_media(plain), folder / "conformed.mp4").path


def edit(first: int, last: int, *clips: Path, rate: Fraction = Fraction(30)) -> Edit:
    """Return an edit of whole frames."""
    sources = tuple(ClipSource(path) for path in clips)
    return Edit(float(first / rate), float(last / rate), sources)


def seen(result, name: str) -> str:
    return {check.name: check.seen for check in result.verification.checks}[name]


def test_splice_copies_what_is_untouched_and_shows_the_clip(plain, clip, tmp_path) -> None:
    out = tmp_path / "out.mp4"

    result = splice(plain, [edit(37, 50, clip)], out)

    assert result.path is SplicePath.PACKETS
    assert result.reasons == ()
    made = clip_numbers(30, Fraction(30))
    assert shown_numbers(out) == expected_numbers(90, (37, 50, made))
    # Encoded: the clip, 50 to 59 (up to the key frame), and two B-frames whose reference is cut.
    assert (result.frame_count, result.copied_count, result.encoded_count) == (107, 65, 42)
    assert seen(result, "untouched frames") == "65 of 65 identical"
    assert seen(result, "sound at the joins").startswith("largest lag 0.0")
    [done] = result.edits
    assert (done.start_s, done.end_s) == pytest.approx((37 / 30, 67 / 30))


def test_splice_copies_the_packets_of_a_conformed_clip(plain, conformed, tmp_path) -> None:
    out = tmp_path / "out.mp4"

    result = splice(plain, [edit(37, 50, conformed), edit(70, 72, conformed)], out)

    assert result.path is SplicePath.PACKETS
    made = clip_numbers(30, Fraction(30))
    assert shown_numbers(out) == expected_numbers(90, (37, 50, made), (70, 72, made))
    # Up to the next key frame after each cut, and a few B-frames before it.
    assert result.encoded_count == 2 + 10 + 1 + 18


RATES = [Fraction(24), Fraction(25), Fraction(30000, 1001), Fraction(30), Fraction(60000, 1001)]

SOUNDS = [None, (48_000, "stereo"), (48_000, "mono"), (44_100, "stereo"), (44_100, "mono")]


@pytest.mark.parametrize(("rate", "sound"), list(zip(RATES, SOUNDS, strict=True)), ids=str)
def test_splice_is_exact_at_every_rate_and_sound(rate, sound, clip, tmp_path) -> None:
    """`make proof` has every rate with every sound."""
    assert_exact_at(rate, sound, clip, tmp_path)


def assert_exact_at(rate, sound, clip, tmp_path) -> None:
    source = write_recording(tmp_path / "source.mp4", rate=rate, sound=sound)
    out = tmp_path / "out.mp4"

    result = splice(source, [edit(20, 41, clip, rate=rate)], out)

    assert result.path is SplicePath.PACKETS
    made = clip_numbers(round(rate), rate)
    assert shown_numbers(out) == expected_numbers(90, (20, 41, made))
    assert read_media(out).frame_rate == rate
    if sound:
        assert "0 too quiet" in seen(result, "sound at the joins")
        assert float(seen(result, "sound at the joins").split()[2]) < 1


CUTS = [
    [(0, 0)],
    [(0, 12)],
    [(89, 90)],
    [(90, 90)],
    [(30, 60)],
    [(29, 31)],
    [(0, 1), (90, 90)],
    [(33, 35), (40, 45)],
    [(1, 89)],
]
B_FRAMES = [0, 1, 3]


@pytest.mark.parametrize(
    ("b_frames", "cuts"),
    [(3, cuts) for cuts in CUTS] + [(few, CUTS[-2]) for few in (0, 1)],
    ids=str,
)
def test_splice_is_exact_wherever_the_cuts_are(b_frames, cuts, clip, tmp_path) -> None:
    """`make proof` has every cut with every number of B-frames."""
    assert_exact_with(b_frames, cuts, clip, tmp_path)


def assert_exact_with(b_frames, cuts, clip, tmp_path) -> None:
    source = write_recording(tmp_path / "source.mp4", b_frames=b_frames)
    out = tmp_path / "out.mp4"

    result = splice(source, [edit(first, last, clip) for first, last in cuts], out)

    assert result.path is SplicePath.PACKETS
    made = clip_numbers(30, Fraction(30))
    expected = expected_numbers(90, *((first, last, made) for first, last in cuts))
    assert shown_numbers(out) == expected


def test_splice_makes_ten_edits_in_one_pass(clip, tmp_path) -> None:
    source = write_recording(tmp_path / "source.mp4", frame_count=330, group=15)
    cuts = [(30 * number - 8, 30 * number + number) for number in range(1, 11)]
    out = tmp_path / "out.mp4"

    result = splice(source, [edit(first, last, clip) for first, last in cuts], out)

    assert result.path is SplicePath.PACKETS
    made = clip_numbers(30, Fraction(30))
    expected = expected_numbers(330, *((first, last, made) for first, last in cuts))
    assert shown_numbers(out) == expected
    assert len(result.edits) == 10


def test_splice_removes_without_a_clip(plain, tmp_path) -> None:
    out = tmp_path / "out.mp4"

    splice(plain, [edit(10, 45)], out)

    assert shown_numbers(out) == expected_numbers(90, (10, 45, []))


def test_splice_moves_parts_of_the_recording_itself(plain, tmp_path) -> None:
    out = tmp_path / "out.mp4"
    moved = (ClipSource(plain, 2.0, 2.5), ClipSource(plain, 1.0, 2.0))

    splice(plain, [Edit(1.0, 2.5, moved)], out)

    swapped = [*range(60, 75), *range(30, 60)]
    assert shown_numbers(out) == expected_numbers(90, (30, 75, swapped))


@pytest.mark.parametrize("rotation", [90, 180, 270])
def test_splice_turns_the_clip_against_a_turned_recording(rotation, clip, tmp_path) -> None:
    source = write_recording(tmp_path / "source.mp4", rotation=rotation, sound=None)
    out = tmp_path / "out.mp4"

    result = splice(source, [edit(37, 50, clip)], out)

    written = read_media(out)
    assert result.path is SplicePath.PACKETS
    assert written.rotation == rotation
    assert (written.width, written.height) == (192, 108)
    assert shown_numbers(out)[:37] == list(range(37))


def test_splice_reads_a_table_of_contents_at_either_end(clip, tmp_path) -> None:
    results = []
    for is_faststart in (False, True):
        source = write_recording(tmp_path / f"{is_faststart}.mp4", is_faststart=is_faststart)
        out = tmp_path / f"out-{is_faststart}.mp4"
        splice(source, [edit(37, 50, clip)], out)
        results.append(shown_numbers(out))

    assert results[0] == results[1]


def test_splice_puts_the_table_of_contents_in_front(plain, clip, tmp_path) -> None:
    out = tmp_path / "out.mp4"

    splice(plain, [edit(37, 50, clip)], out)

    content = out.read_bytes()
    assert content.index(b"moov") < content.index(b"mdat")


def test_a_spliced_file_can_be_spliced_again(plain, clip, tmp_path) -> None:
    once, twice = tmp_path / "once.mp4", tmp_path / "twice.mp4"
    splice(plain, [edit(37, 50, clip)], once)

    result = splice(once, [edit(100, 104, clip)], twice)

    made = clip_numbers(30, Fraction(30))
    assert result.path is SplicePath.PACKETS
    assert shown_numbers(twice) == expected_numbers(90, (37, 50, made), (83, 87, made))


def test_cross_fade_moves_no_frame(plain, clip, tmp_path) -> None:
    out = tmp_path / "out.mp4"

    result = splice(plain, [edit(37, 50, clip)], out, SpliceOptions(cross_fade_s=0.2))

    numbers = shown_numbers(out)
    made = clip_numbers(30, Fraction(30))
    assert result.path is SplicePath.PACKETS
    assert (numbers[:37], numbers[67:]) == (list(range(37)), list(range(50, 90)))
    # Six frames on either side are mixtures; those between are the clip's own.
    assert numbers[43:61] == made[6:24]


# Each recording has something that stands in the way of copying packets, and what is said about it.
OBSTACLES = {
    "open groups": (Recipe(parameters="open-gop=1"), "mp4", "open group of pictures"),
    "other codec": (Recipe(codec="mpeg4"), "mp4", "the picture is mpeg4, not H.264"),
    "webm": (
        Recipe(codec="libvpx", sound_codec="libopus"),
        "webm",
        "the container is matroska,webm, not MP4",
    ),
    "varying rate": (
        Recipe(times=[index if index < 40 else 40 + 2 * (index - 40) for index in range(90)]),
        "mp4",
        "the frame rate varies",
    ),
    "interlaced": (Recipe(parameters="tff=1"), "mp4", "interlaced"),
    "two tracks": (Recipe(video_tracks=2), "mp4", "2 video tracks"),
    "other pixels": (Recipe(pixel_format="yuv444p"), "mp4", "the pixel format is yuv444p"),
    "other sound": (Recipe(sound_codec="libmp3lame"), "mp4", "the sound is mp3"),
}


@pytest.mark.parametrize("name", OBSTACLES)
def test_splice_encodes_packets_that_cannot_be_copied_and_says_why(name, clip, tmp_path) -> None:
    recipe, suffix, reason = OBSTACLES[name]
    source = write_recording(tmp_path / f"source.{suffix}", recipe)
    out = tmp_path / "out.mp4"

    result = splice(source, [edit(37, 50, clip)], out)

    assert result.path is SplicePath.REENCODED
    assert any(reason in item for item in result.reasons)
    assert result.copied_count == 0
    has_copied_sound = name not in ("webm", "other sound")
    names = [check.name for check in result.verification.checks if check.is_passed]
    assert ("untouched sound" in names) == has_copied_sound
    numbers, written = shown_numbers(out), read_media(out)
    if name != "varying rate":
        assert numbers == expected_numbers(90, (37, 50, clip_numbers(30, Fraction(30))))
        assert float(seen(result, "sound at the joins").split()[2]) < 1
    assert written.obstacles == ()
    assert (written.pixel_format, written.rotation) == ("yuv420p", 0)


def test_varying_rate_becomes_constant_and_keeps_its_moments(clip, tmp_path) -> None:
    recipe, _, _ = OBSTACLES["varying rate"]
    source = write_recording(tmp_path / "source.mp4", recipe)
    out = tmp_path / "out.mp4"

    splice(source, [Edit(0.0, 0.5)], out)

    # From frame 40 on every frame is shown twice as long.
    numbers = shown_numbers(out)
    assert numbers[:25] == list(range(15, 40))
    assert numbers[25:65] == [40 + index // 2 for index in range(40)]


@pytest.mark.parametrize(
    ("start_s", "end_s", "message"),
    [
        (-1.0, 2.0, "outside the recording"),
        (1.0, 4.0, "outside the recording, which lasts 3.000 s"),
        (2.0, 1.0, "ends before it starts"),
        (0.0, 3.0, "nothing would be left"),
    ],
)
def test_splice_refuses_edits_that_do_not_fit(start_s, end_s, message, plain, tmp_path) -> None:
    with pytest.raises(EditError, match=message):
        splice(plain, [Edit(start_s, end_s)], tmp_path / "out.mp4")

    assert list(tmp_path.iterdir()) == []


def test_splice_refuses_edits_that_overlap(plain, tmp_path) -> None:
    with pytest.raises(EditError, match="one ends at frame 60, the next starts at frame 45"):
        splice(plain, [Edit(1.0, 2.0), Edit(1.5, 2.5)], tmp_path / "out.mp4")


@pytest.mark.parametrize("content", [b"", b"no video " * 500], ids=["empty", "text"])
def test_splice_refuses_files_that_are_no_video(content, plain, clip, tmp_path) -> None:
    bad = tmp_path / "bad.mp4"
    bad.write_bytes(content)

    with pytest.raises(SourceError, match=r"bad.mp4 is damaged or not a video"):
        splice(bad, [Edit(1.0, 2.0)], tmp_path / "out.mp4")
    with pytest.raises(ClipError, match=r"the clip bad.mp4 cannot be used"):
        splice(plain, [edit(37, 50, bad)], tmp_path / "out.mp4")

    assert [path.name for path in tmp_path.iterdir()] == ["bad.mp4"]


def test_splice_refuses_a_damaged_stretch_and_leaves_the_old_file(plain, clip, tmp_path) -> None:
    out = tmp_path / "out.mp4"
    out.write_bytes(b"the file of yesterday")
    content = bytearray(plain.read_bytes())
    media = read_media(plain)
    start = content.index(b"mdat") + 2000
    content[start : len(content) - 8000] = bytes(len(content) - 8000 - start)
    bad = tmp_path / "bad.mp4"
    bad.write_bytes(content)
    assert media.frame_count == 90

    with pytest.raises((VideoError, VerificationError)):
        splice(bad, [edit(37, 50, clip)], out)

    assert out.read_bytes() == b"the file of yesterday"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["bad.mp4", "out.mp4"]


def test_splice_result_is_json(plain, clip, tmp_path) -> None:
    result = splice(plain, [edit(37, 50, clip)], tmp_path / "out.mp4")

    document = json.loads(json.dumps(result.to_dict()))

    assert document["path"] == "packets"
    assert document["verification"]["is_passed"] is True
    assert {check["name"] for check in document["verification"]["checks"]} == {
        "frame count",
        "time stamps",
        "untouched frames",
        "untouched sound",
        "parameter sets",
        "decoding",
        "decoded copies",
        "pictures at the joins",
        "sound at the joins",
    }


def test_frames_that_a_file_hides_stay_hidden(plain, clip, tmp_path) -> None:
    # A cut without re-encoding keeps the frames from the key frame on, and hides them.
    hiding = tmp_path / "hiding.mp4"
    with av.open(str(plain)) as container, av.open(str(hiding), "w") as output:
        stream = container.streams.video[0]
        copy = output.add_stream_from_template(stream)
        for packet in container.demux(stream):
            if packet.dts is not None:
                packet.pts, packet.dts = packet.pts - 5 * 512, packet.dts - 5 * 512
                packet.stream = copy
                output.mux(packet)
    out = tmp_path / "out.mp4"

    result = splice(hiding, [edit(37, 50, clip)], out)

    assert result.reasons == ("the file hides frames before the first that is shown",)
    shown = expected_numbers(90, (42, 55, clip_numbers(30, Fraction(30))))[5:]
    assert shown_numbers(out) == shown


@pytest.mark.parametrize("suffix", ["mp4", "mov"])
@pytest.mark.parametrize("kind", ["video", "audio"])
def test_a_track_that_starts_later_by_an_edit_list_stays_late(
    kind, suffix, plain, clip, tmp_path
) -> None:
    def later(packet: av.Packet, of_kind: str) -> bool:
        if of_kind == kind:
            # Three frames.
            shift = round(Fraction(1, 10) / packet.time_base)
            packet.pts, packet.dts = packet.pts + shift, packet.dts + shift
        return True

    source = remuxed(plain, tmp_path / f"late.{suffix}", later)
    out = tmp_path / "out.mp4"

    result = splice(source, [edit(37, 50, clip)], out)

    made = clip_numbers(30, Fraction(30))
    assert result.path is SplicePath.PACKETS
    assert b"elst" in source.read_bytes()
    assert shown_numbers(out) == expected_numbers(90, (37, 50, made))
    assert read_media(out).start_s == pytest.approx(read_media(source).start_s)
    assert seen(result, "sound at the joins").startswith("largest lag 0.0")


@pytest.mark.parametrize(("kind", "is_copied"), [("audio", True), ("video", False)])
def test_reencoded_sound_keeps_its_place_beside_the_pictures(
    kind, is_copied, clip, tmp_path
) -> None:
    """Sound that begins long before the first frame is not copied: it would begin before 0."""

    def later(packet: av.Packet, of_kind: str) -> bool:
        if of_kind == kind:
            shift = round(Fraction(1, 2) / packet.time_base)
            packet.pts, packet.dts = packet.pts + shift, packet.dts + shift
        return True

    plain = write_recording(tmp_path / "plain.mp4", codec="mpeg4")
    source = remuxed(plain, tmp_path / "late.mp4", later)

    result = splice(source, [edit(37, 50, clip)], tmp_path / "out.mp4")

    assert result.reasons == ("the picture is mpeg4, not H.264",)
    names = [check.name for check in result.verification.checks]
    assert ("untouched sound" in names) == is_copied
    assert seen(result, "sound at the joins").startswith("largest lag 0.0")


def test_splice_keeps_the_first_of_several_sound_tracks_and_says_so(plain, clip, tmp_path) -> None:
    source = remuxed(plain, tmp_path / "source.mp4", sound_tracks=2)
    out = tmp_path / "out.mp4"

    result = splice(source, [edit(37, 50, clip)], out)

    assert result.reasons == ("the file has 2 sound tracks; only the first is kept",)
    with av.open(str(out)) as container:
        assert len(container.streams.audio) == 1
    assert shown_numbers(out)[:37] == list(range(37))


def test_a_recording_cut_without_encoding_is_encoded_anew_and_keeps_its_moments(
    plain, clip, tmp_path
) -> None:
    # Decoded before 2.4 s are all frames to 71 but for some, and one that is shown later.
    def early(packet: av.Packet, kind: str) -> bool:
        return packet.dts * packet.time_base < Fraction(12, 5) - Fraction(1, 15)

    source = remuxed(plain, tmp_path / "source.mp4", early)
    out = tmp_path / "out.mp4"

    result = splice(source, [edit(37, 50, clip)], out)

    reason = "frames are missing near its end, as after a cut without encoding"
    assert result.reasons == (reason,)
    made = clip_numbers(30, Fraction(30))
    assert shown_numbers(out)[:80] == expected_numbers(63, (37, 50, made))


def test_frames_at_the_joins_are_near_the_recording_and_sound_does_not_lag(clip, tmp_path) -> None:
    source = write_recording(tmp_path / "source.mp4", grain=8, group=30)

    result = splice(source, [edit(31, 50, clip)], tmp_path / "out.mp4")

    words = seen(result, "pictures at the joins").split()
    assert (words[:2], words[4]) == (["lowest", "PSNR"], "of")
    assert float(words[2]) >= 47
    assert float(seen(result, "sound at the joins").split()[2]) < 1
