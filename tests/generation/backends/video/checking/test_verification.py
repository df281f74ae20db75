"""A verification is worth what it finds: each check is shown a file that is wrong in its way."""

from dataclasses import replace
from fractions import Fraction
from itertools import pairwise
from pathlib import Path

import av
import pytest

from annotation.backends.media.exceptions import SourceError
from annotation.backends.media.facts import read_media
from annotation.backends.media.frames import FrameReader
from annotation.backends.media.h264 import AvcRecord
from generation.backends.video.checking.expected import Expected, Kept, Thoroughness, kept_ranges
from generation.backends.video.checking.verification import verify
from generation.backends.video.clips.conform import conform_clip
from generation.backends.video.edits import ClipSource, Edit, frame_edits
from generation.backends.video.exceptions import VerificationError
from generation.backends.video.sound.copying import CopiedSound
from generation.backends.video.splicing.packet_plan import plan_packets
from generation.backends.video.splicing.packets import Written, write_packets
from generation.backends.video.splicing.reencoding import Reencoded
from generation.backends.video.splicing.splice import SpliceOptions, SplicePath, splice
from tests.recordings import CLIP, write_recording

OTHER_RECORD = AvcRecord(b"\x64\x00\x1f", 4, (b"\x67\x64\x00\x1f\xac\xd9",), (b"\x68\xeb\xe3\xcb",))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("verification")
    write_recording(folder / "source.mp4")
    write_recording(folder / "clip.mp4", CLIP)
    return folder


@pytest.fixture(scope="module")
def spliced(folder: Path) -> tuple[Path, Expected]:
    return spliced_with(folder, folder / "clip.mp4", folder / "spliced.mp4")


def spliced_with(folder: Path, clip: Path, out: Path) -> tuple[Path, Expected]:
    media = read_media(folder / "source.mp4")
    edits = frame_edits(media, [Edit(37 / 30, 50 / 30, (ClipSource(clip),))])
    plan = plan_packets(media, edits)
    written = write_packets(plan, out)
    expected = Expected(
        source=media,
        frame_count=plan.frame_count,
        new_ranges=tuple(written.new_ranges),
        kept=kept_ranges(media, edits),
        is_copied=True,
        is_sound_copied=True,
        clips=tuple(written.clips),
        sound_spans=plan.sound_spans,
    )
    return out, expected


def failed(path: Path, expected: Expected) -> set[str]:
    return {check.name for check in verify(path, expected).checks if not check.is_passed}


def rewritten(path: Path, out: Path, change) -> Path:
    """Copy a file packet by packet; `change` may alter one and says whether it stays."""
    with av.open(str(path)) as container, av.open(str(out), "w", format="mp4") as output:
        streams = {item.index: output.add_stream_from_template(item) for item in container.streams}
        counts = dict.fromkeys(streams, 0)
        for packet in container.demux():
            if packet.dts is None:
                continue
            kind, index = packet.stream.type, packet.stream_index
            if change(packet, kind, counts[index]):
                packet.stream = streams[index]
                output.mux_one(packet)
            counts[index] += 1
    return out


def test_verify_passes_a_correct_file(spliced) -> None:
    path, expected = spliced

    assert failed(path, expected) == set()
    assert [check.name for check in verify(path, expected).checks][:3] == [
        "frame count",
        "time stamps",
        "untouched frames",
    ]


def test_verify_finds_a_missing_frame(spliced, tmp_path) -> None:
    path, expected = spliced
    short = rewritten(
        path, tmp_path / "short.mp4", lambda packet, kind, n: (kind, n) != ("video", 105)
    )

    assert {"frame count", "time stamps", "untouched frames"} <= failed(short, expected)


def test_verify_finds_one_changed_byte(spliced, tmp_path) -> None:
    path, expected = spliced

    def change(packet: av.Packet, kind: str, number: int) -> bool:
        if (kind, number) == ("video", 10):
            content = bytearray(bytes(packet))
            content[-1] ^= 1
            packet.update(bytes(content))
        return True

    assert "untouched frames" in failed(rewritten(path, tmp_path / "byte.mp4", change), expected)


def test_verify_finds_two_copies_that_changed_places(spliced, tmp_path) -> None:
    path, expected = spliced
    with av.open(str(path)) as container:
        times = [(packet.pts, packet.dts) for packet in container.demux(video=0)][:30]
    # Both may be shown at the other's time, as neither would be shown before it is decoded.
    one, other = next(
        (index, index + 1)
        for index, ((pts, _), (_, next_dts)) in enumerate(pairwise(times))
        if index and pts >= next_dts
    )
    swapped_pts = {one: times[other][0], other: times[one][0]}

    def change(packet: av.Packet, kind: str, number: int) -> bool:
        if kind == "video":
            packet.pts = swapped_pts.get(number, packet.pts)
        return True

    swapped = rewritten(path, tmp_path / "swapped.mp4", change)

    checks = {check.name: check for check in verify(swapped, expected).checks}
    assert checks["time stamps"].is_passed
    assert checks["untouched frames"].seen == "63 of 65 identical"


def test_verify_finds_one_changed_byte_of_the_sound(spliced, tmp_path) -> None:
    path, expected = spliced

    def change(packet: av.Packet, kind: str, number: int) -> bool:
        if (kind, number) == ("audio", 20):
            content = bytearray(bytes(packet))
            content[-1] ^= 1
            packet.update(bytes(content))
        return True

    changed = rewritten(path, tmp_path / "byte.mp4", change)

    assert "untouched sound" in failed(changed, expected)


def test_verify_finds_a_missing_packet_of_sound(spliced, tmp_path) -> None:
    path, expected = spliced
    short = rewritten(
        path, tmp_path / "short.mp4", lambda packet, kind, n: (kind, n) != ("audio", 20)
    )

    assert "untouched sound" in failed(short, expected)


@pytest.fixture(scope="module")
def with_stored_clip(folder: Path) -> tuple[Path, Expected]:
    media = read_media(folder / "source.mp4")
    conform_clip(folder / "clip.mp4", media, folder / "stored.mp4")
    return spliced_with(folder, folder / "stored.mp4", folder / "with-stored.mp4")


def test_verify_compares_the_packets_of_a_stored_clip(with_stored_clip, tmp_path) -> None:
    path, expected = with_stored_clip
    [clip] = expected.clips

    def change(packet: av.Packet, kind: str, number: int) -> bool:
        if (kind, number) == ("video", clip.first + 20):
            content = bytearray(bytes(packet))
            content[-1] ^= 1
            packet.update(bytes(content))
        return True

    checks = {check.name: check.seen for check in verify(path, expected).checks}
    assert failed(path, expected) == set()
    assert checks["copied clips"] == "30 of 30 identical"
    changed = rewritten(path, tmp_path / "byte.mp4", change)
    assert "copied clips" in failed(changed, expected)


def test_verify_finds_parameter_sets_that_were_lost(with_stored_clip) -> None:
    path, expected = with_stored_clip
    # The written file does not have the sets of a clip that is not in it.
    [clip] = expected.clips
    other = replace(clip, media=replace(clip.media, record=OTHER_RECORD))

    checks = verify(path, replace(expected, clips=(other,))).checks

    [sets] = [check for check in checks if check.name == "parameter sets"]
    assert (sets.is_passed, sets.seen) == (
        False,
        "those of 1 of 2 sources kept, under numbers of their own",
    )


def test_verify_finds_a_border_that_loses_frames(spliced, monkeypatch) -> None:
    path, expected = spliced
    border = expected.new_ranges[0][0]
    starting_at = FrameReader.starting_at

    def lossy(reader: FrameReader, first: int, **options):
        for number, frame in starting_at(reader, first, **options):
            if reader.name != path.name or number != border - 1:
                yield number, frame

    monkeypatch.setattr(FrameReader, "starting_at", lossy)

    assert "decoding" in failed(path, expected)


@pytest.mark.parametrize("thoroughness", Thoroughness)
def test_verify_says_how_many_frames_it_decoded(thoroughness, spliced) -> None:
    path, expected = spliced

    checks = {item.name: item.seen for item in verify(path, expected, thoroughness).checks}

    # Encoded are 42 frames; beside them 4 and 8, and 4 each at the two other key frames.
    assert (checks["decoding"], checks["decoded copies"]) == {
        Thoroughness.BORDERS: ("66 of 66", "20 of 20 have the same pixels"),
        Thoroughness.FULL: ("107 of 107", "65 of 65 have the same pixels"),
    }[thoroughness]


def test_only_a_full_verification_finds_old_damage_far_from_the_cuts(folder, tmp_path) -> None:
    def change(packet: av.Packet, kind: str, number: int) -> bool:
        if (kind, number) == ("video", 25):
            packet.update(bytes(packet.size))
        return True

    source = rewritten(folder / "source.mp4", tmp_path / "source.mp4", change)
    cut, out = Edit(2.5, 2.6), tmp_path / "out.mp4"

    assert splice(source, [cut], out).path is SplicePath.PACKETS
    with pytest.raises(SourceError, match=r"source.mp4.* damaged"):
        splice(source, [cut], out, SpliceOptions(thoroughness=Thoroughness.FULL))


def test_verify_finds_a_cut_at_the_wrong_frame(spliced) -> None:
    path, expected = spliced
    (first, second) = expected.kept
    shifted = replace(
        expected, kept=(first, Kept(second.first, second.source_first + 1, second.count - 1))
    )

    assert "untouched frames" in failed(path, shifted)
    assert "pictures at the joins" in failed(path, replace(shifted, is_copied=False))


@pytest.mark.parametrize(("shift_samples", "is_found"), [(20, False), (100, True), (-100, True)])
def test_verify_finds_sound_that_is_late_or_early(
    shift_samples, is_found, spliced, tmp_path
) -> None:
    path, expected = spliced

    def change(packet: av.Packet, kind: str, number: int) -> bool:
        if kind == "audio" and number > 120:
            packet.pts = packet.dts = packet.pts + shift_samples
        return True

    late = rewritten(path, tmp_path / "late.mp4", change)

    # At 48 kHz a millisecond is 48 samples.
    assert ("sound at the joins" in failed(late, expected)) is is_found


def test_verify_finds_what_cannot_be_decoded(spliced, tmp_path) -> None:
    path, expected = spliced
    first, count = expected.new_ranges[0]

    def change(packet: av.Packet, kind: str, number: int) -> bool:
        if kind == "video" and number == first + count // 2:
            packet.update(bytes(packet.size))
        return True

    assert "decoding" in failed(rewritten(path, tmp_path / "bad.mp4", change), expected)


def test_verify_reports_a_file_that_cannot_be_read(spliced, tmp_path) -> None:
    _, expected = spliced
    path = tmp_path / "empty.mp4"
    path.write_bytes(b"")

    assert failed(path, expected) == {"reading"}


def test_splice_takes_the_slow_path_when_the_fast_one_fails_a_check(
    folder, tmp_path, monkeypatch
) -> None:
    def write_too_little(plan, path, timed_check) -> Written:
        written = write_packets(plan, path, timed_check)
        whole = tmp_path / "whole.mp4"
        path.rename(whole)
        rewritten(whole, path, lambda packet, kind, n: (kind, n) != ("video", 35))
        whole.unlink()
        return written

    monkeypatch.setattr("generation.backends.video.splicing.splice.write_packets", write_too_little)

    result = splice(folder / "source.mp4", [Edit(1.0, 2.0)], tmp_path / "out.mp4")

    [reason] = result.reasons
    assert result.path is SplicePath.REENCODED
    assert reason.startswith("copied packets failed a check (frame count: ")


def test_splice_encodes_sound_that_was_copied_wrong_beside_new_pictures(
    tmp_path, monkeypatch
) -> None:
    put = CopiedSound._put

    def put_later(self, packet, position) -> None:
        put(self, packet, position + (480 if position > 60_000 else 0))

    source = write_recording(tmp_path / "source.mp4", codec="mpeg4", rate=Fraction(30))
    monkeypatch.setattr(CopiedSound, "_put", put_later)

    result = splice(source, [Edit(1.0, 1.2)], tmp_path / "out.mp4")

    reason = "with its sound copied it failed a check (untouched sound: "
    assert result.reasons[1].startswith(reason)
    assert [check.name for check in result.verification.checks] == [
        "frame count", "time stamps", "decoding", "pictures at the joins", "sound at the joins"
    ]  # fmt: skip


def test_splice_publishes_nothing_when_both_paths_fail(folder, tmp_path, monkeypatch) -> None:
    def write_nothing(media, edits, path, **options) -> Reencoded:
        write_recording(path.with_suffix(".mp4"), frame_count=5).rename(path)
        return Reencoded(60)

    source = write_recording(tmp_path / "source.mp4", codec="mpeg4", rate=Fraction(30))
    monkeypatch.setattr("generation.backends.video.splicing.splice.write_reencoded", write_nothing)

    with pytest.raises(VerificationError, match="5 frames, 60 expected"):
        splice(source, [Edit(1.0, 2.0)], tmp_path / "out.mp4")

    assert [path.name for path in tmp_path.iterdir()] == ["source.mp4"]
