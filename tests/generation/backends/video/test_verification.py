"""A verification is worth what it finds: each check is shown a file that is wrong in its way."""

from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import av
import pytest

from generation.backends.video.edits import ClipSource, Edit, frame_edits
from generation.backends.video.encoding import Quality
from generation.backends.video.exceptions import VerificationError
from generation.backends.video.media import read_media
from generation.backends.video.packet_plan import plan_packets
from generation.backends.video.packets import Written, write_packets
from generation.backends.video.splice import SplicePath, splice
from generation.backends.video.verification import Expected, kept_ranges, verify
from tests.generation.backends.video.recordings import CLIP, write_recording


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("verification")
    write_recording(folder / "source.mp4")
    write_recording(folder / "clip.mp4", CLIP)
    return folder


@pytest.fixture(scope="module")
def spliced(folder: Path) -> tuple[Path, Expected]:
    media = read_media(folder / "source.mp4")
    clip = ClipSource(folder / "clip.mp4")
    edits = frame_edits(media, [Edit(37 / 30, 50 / 30, (clip,))])
    plan = plan_packets(media, edits, quality=Quality())
    written = write_packets(plan, folder / "spliced.mp4")
    expected = Expected(
        media, plan.frame_count, tuple(written.new_ranges), kept_ranges(media, edits), True
    )
    return folder / "spliced.mp4", expected


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


def test_verify_passes_what_is_right(spliced) -> None:
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


def test_verify_finds_a_cut_at_the_wrong_frame(spliced) -> None:
    path, expected = spliced
    (first, second) = expected.kept
    shifted = replace(expected, kept=(first, (second[0], second[1] + 1, second[2] - 1)))

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
    def write_too_little(plan, path, pulse) -> Written:
        written = write_packets(plan, path, pulse)
        whole = tmp_path / "whole.mp4"
        path.rename(whole)
        rewritten(whole, path, lambda packet, kind, n: (kind, n) != ("video", 35))
        whole.unlink()
        return written

    monkeypatch.setattr("generation.backends.video.splice.write_packets", write_too_little)

    result = splice(folder / "source.mp4", [Edit(1.0, 2.0)], tmp_path / "out.mp4")

    [reason] = result.reasons
    assert result.path is SplicePath.REENCODED
    assert reason.startswith("copied packets failed a check (frame count: ")


def test_splice_publishes_nothing_when_both_paths_fail(folder, tmp_path, monkeypatch) -> None:
    def write_nothing(media, edits, path, *, cross_fade_frames=0, pulse) -> int:
        write_recording(path.with_suffix(".mp4"), frame_count=5).rename(path)
        return 60

    source = write_recording(tmp_path / "source.mp4", codec="mpeg4", rate=Fraction(30))
    monkeypatch.setattr("generation.backends.video.splice.write_reencoded", write_nothing)

    with pytest.raises(VerificationError, match="5 frames, 60 expected"):
        splice(source, [Edit(1.0, 2.0)], tmp_path / "out.mp4")

    assert [path.name for path in tmp_path.iterdir()] == ["source.mp4"]
