"""Clean copies: the same frames at the same times, and nothing that names a camera or a program."""

import subprocess
from pathlib import Path

import av
import numpy as np
import pytest

from annotation.backends.media.clean_copy import CopyError, copy_kind, write_clean_copy
from annotation.backends.media.frame_index import read_frame_index
from annotation.backends.media.probe import probe_video
from annotation.backends.media.quiet_files import SIZE_STEP_BYTES, fill_up, unsigned_sample
from tests.recordings import remuxed, shown_numbers, write_recording

SIGNATURES = (b"x264", b"Lavc", b"Lavf6", b"Camera")


def copied(source: Path) -> Path:
    kind = copy_kind(probe_video(source).container)
    out = source.with_name(f"copy.{kind}")
    write_clean_copy(source, read_frame_index(source), kind, out, lambda: None)
    return out


@pytest.mark.parametrize(
    ("name", "recipe"),
    [
        ("one.mp4", {}),
        ("one.mov", {}),
        ("one.mp4", {"sound": None, "b_frames": 0}),
        ("one.webm", {"codec": "libvpx-vp9", "sound_codec": "libopus"}),
        ("one.mp4", {"codec": "libvpx-vp9"}),
    ],
    ids=["mp4", "mov", "silent", "webm", "vp9 in mp4"],
)
def test_a_copy_shows_the_same_and_says_nothing(tmp_path, name, recipe):
    check_copy_of(write_recording(tmp_path / name, frame_count=60, **recipe))


def test_a_copy_of_av1_shows_the_same_and_says_nothing(tmp_path):
    """Made by a process of its own: the one AV1 encoder that PyAV has, SVT-AV1, sets the thread
    that opens it to SCHED_FIFO 99 under root, and whatever that thread starts later starves a
    machine."""
    plain, source = tmp_path / "plain.mp4", tmp_path / "one.mp4"
    write_recording(plain, frame_count=60)
    encode = ["-c:v", "libaom-av1", "-cpu-used", "8", "-c:a", "copy", str(source)]
    subprocess.run(["ffmpeg", "-v", "error", "-i", str(plain), *encode], check=True)

    check_copy_of(source)


def check_copy_of(source: Path) -> None:
    copy = copied(source)

    before, after = read_frame_index(source), read_frame_index(copy)
    assert np.allclose(after.times_s, before.times_s, rtol=0, atol=1e-5)
    assert after.key_frame_distance_s == pytest.approx(before.key_frame_distance_s, abs=1e-5)
    assert shown_numbers(copy) == shown_numbers(source)
    was, became = probe_video(source), probe_video(copy)
    assert (became.audio_codec, became.start_s) == (was.audio_codec, was.start_s)
    assert became.duration_s == pytest.approx(was.duration_s, abs=1e-3)
    data = copy.read_bytes()
    assert [word for word in SIGNATURES if word in data] == []
    assert len(data) % SIZE_STEP_BYTES == 0


def test_a_copy_stands_upright_as_the_recording_does(tmp_path):
    source = write_recording(tmp_path / "one.mov", frame_count=10, rotation=90)

    assert probe_video(copied(source)).rotation_degrees == 90


def test_a_copy_of_a_part_hides_what_its_recording_hides(tmp_path):
    """Frames before the edit list's begin are in both files and shown by neither."""
    whole = write_recording(tmp_path / "whole.mp4", frame_count=60, sound=None)
    cut = tmp_path / "cut.mp4"

    def later(packet, kind):
        packet.pts -= round(0.5 / packet.time_base)
        packet.dts -= round(0.5 / packet.time_base)
        return True

    remuxed(whole, cut, later)
    shown = shown_numbers(cut)
    assert shown == list(range(15, 60))

    assert shown_numbers(copied(cut)) == shown


def test_what_cannot_be_copied_is_refused(tmp_path):
    """WebM has no H.264."""
    source = write_recording(tmp_path / "one.mp4", frame_count=10)

    with pytest.raises(CopyError):
        write_clean_copy(
            source, read_frame_index(source), "webm", tmp_path / "copy.webm", lambda: None
        )

    assert [path.name for path in tmp_path.iterdir()] == ["one.mp4"]


def test_messages_of_users_go_and_others_stay():
    def unit(*messages: bytes) -> bytes:
        content = b"\x06" + b"".join(messages) + b"\x80"
        return len(content).to_bytes(4, "big") + content

    recovery_point = b"\x06\x01\xc4"
    model = b"\x05\xff\x05" + b"Camera" * 43 + b"\x00\x00"
    caption = b"\x04\x03abc"
    picture = (5).to_bytes(4, "big") + b"\x65\x88\x84\x00\x00"

    assert unsigned_sample(unit(model) + picture, 4) == picture
    assert unsigned_sample(unit(caption, recovery_point, model) + picture, 4) == (
        unit(recovery_point) + picture
    )
    untouched = unit(recovery_point) + picture
    assert unsigned_sample(untouched, 4) == untouched


@pytest.mark.parametrize("beyond", [0, 1, 65530, 65535])
def test_sizes_are_whole_steps_and_files_are_read_on(tmp_path, beyond):
    path = write_recording(tmp_path / "one.mp4", frame_count=5)
    data = path.read_bytes()
    room = SIZE_STEP_BYTES - len(data) + beyond
    path.write_bytes(data + room.to_bytes(4, "big") + b"free" + bytes(room - 8))

    fill_up(path)

    assert path.stat().st_size % SIZE_STEP_BYTES == 0
    with av.open(str(path)) as container:
        assert sum(1 for _ in container.decode(video=0)) == 5
