import os
from dataclasses import replace
from pathlib import Path

import pytest

from annotation.backends.media.exceptions import VideoError
from annotation.backends.media.probe import VideoProbe, probe_video
from tests.video_files import write_video

PLAIN = VideoProbe(
    size_bytes=0,
    container="mov,mp4,m4a,3gp,3g2,mj2",
    video_codec="h264",
    pixel_format="yuv420p",
    audio_codec="",
    audio_rate=None,
    audio_channels=None,
    width=64,
    height=48,
    rotation_degrees=0,
    frame_rate=30.0,
    frame_count=30,
    duration_s=1.0,
    start_s=0.0,
    is_rate_variable=False,
    warnings=(),
)


def without_size(probe: VideoProbe) -> VideoProbe:
    return replace(probe, size_bytes=0)


def test_probe_video_tells_what_the_file_is(tmp_path: Path) -> None:
    path = write_video(tmp_path / "a.mp4")

    probe = probe_video(path)

    assert without_size(probe) == PLAIN
    assert probe.size_bytes == path.stat().st_size


def test_probe_video_goes_by_content_not_by_name(tmp_path: Path) -> None:
    path = write_video(tmp_path / "a.mp4").rename(tmp_path / "a.txt")

    assert without_size(probe_video(path)) == PLAIN


def test_probe_video_warns_of_a_codec_that_browsers_cannot_play(tmp_path: Path) -> None:
    path = write_video(tmp_path / "a.mp4", codec="mpeg4")

    assert probe_video(path).warnings == ("browsers cannot play mpeg4; convert it to H.264",)


def test_probe_video_warns_of_a_pixel_format_that_browsers_cannot_play(tmp_path: Path) -> None:
    path = write_video(tmp_path / "a.mp4", pixel_format="yuv444p")

    assert probe_video(path).warnings == (
        "browsers cannot play H.264 in yuv444p; convert it to yuv420p",
    )


def test_probe_video_warns_of_a_container_that_browsers_cannot_play(tmp_path: Path) -> None:
    path = write_video(tmp_path / "a.avi")

    assert probe_video(path).warnings == (
        "browsers cannot play a file of kind avi; put it into MP4",
    )


def test_probe_video_warns_of_a_varying_frame_rate(tmp_path: Path) -> None:
    times = [index * (1 if index < 15 else 3) for index in range(30)]
    path = write_video(tmp_path / "a.mp4", times=times)

    assert probe_video(path).warnings == (
        "the frame rate varies: single-frame steps are approximate",
    )


def test_probe_video_measures_a_file_that_states_no_duration(tmp_path: Path) -> None:
    path = write_video(tmp_path / "a.ts")

    assert probe_video(path).duration_s == pytest.approx(1.0, abs=0.05)


def test_probe_video_warns_of_a_truncated_long_file(tmp_path: Path) -> None:
    path = write_video(tmp_path / "a.mkv", frame_count=600)
    content = path.read_bytes()
    path.write_bytes(content[: len(content) // 2])

    assert "its last part is damaged or missing and cannot be shown" in probe_video(path).warnings


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "is empty"),
        (b"Lorem ipsum dolor sit amet, " * 100, "is damaged, or not a video"),
        (b"#EXTM3U\n#EXTINF:1,\nfile:///etc/passwd\n", "is damaged, or not a video"),
        (b"ffconcat version 1.0\nfile /etc/passwd\n", "is damaged, or not a video"),
        (b"RIFF\x24\x00\x00\x00WAVEfmt ", "is damaged, or not a video"),
        (os.urandom(5000), "is damaged, or not a video"),
        (b"\x00\x00\x00\x18ftypmp42" + b"\x00" * 500, "is damaged, or not a video"),
    ],
    ids=["empty", "text", "playlist", "concat", "sound", "noise", "hollow"],
)
def test_probe_video_refuses_what_is_no_video(tmp_path: Path, content: bytes, message: str) -> None:
    path = tmp_path / "a.mp4"
    path.write_bytes(content)

    with pytest.raises(VideoError, match=message):
        probe_video(path)


@pytest.mark.parametrize("cut", [0.05, 0.3, 0.6, 0.9])
def test_probe_video_survives_any_truncation(tmp_path: Path, cut: float) -> None:
    content = write_video(tmp_path / "whole.mp4", frame_count=300).read_bytes()
    path = tmp_path / "cut.mp4"
    path.write_bytes(content[: int(len(content) * cut)])

    # The table of this container stands at the end, so nothing can be read without it.
    with pytest.raises(VideoError, match=r"is damaged|in a codec that is not known here"):
        probe_video(path)


@pytest.mark.parametrize("seed", range(20))
def test_probe_video_survives_flipped_bytes(tmp_path: Path, seed: int) -> None:
    content = bytearray(write_video(tmp_path / "whole.mp4", frame_count=90).read_bytes())
    for place in range(seed + 24, len(content), 97):
        content[place] ^= 0xFF
    path = tmp_path / "broken.mp4"
    path.write_bytes(content)

    try:
        measured_s = [probe_video(path).duration_s]
    except VideoError:
        measured_s = []

    # Any other exception fails the test, and so does a nonsensical measure.
    assert all(0 < duration_s < 60 for duration_s in measured_s)


def test_probe_video_refuses_what_is_no_regular_file(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe.mp4"
    os.mkfifo(pipe)

    with pytest.raises(VideoError, match="is not a regular file"):
        probe_video(pipe)
    with pytest.raises(VideoError, match="is not a regular file"):
        probe_video(tmp_path)
    with pytest.raises(VideoError, match="cannot be read"):
        probe_video(tmp_path / "missing.mp4")


@pytest.mark.shared_data
@pytest.mark.parametrize(
    ("name", "rotation_degrees", "warnings"),
    [
        ("edge/corrupted.mp4", 0, ("damaged frames that cannot be shown: 1 of 50",)),
        ("edge/unordered.mov", 0, ()),
        ("edge/video_90.mov", 90, ()),
        ("bottle-detection.mp4", 0, ()),
        ("gnome-display-dual-monitors.webm", 0, ()),
        ("movie-hello.mp4", 0, ()),
    ],
)
def test_probe_video_of_the_collected_files(
    shared_data: Path, name: str, rotation_degrees: int, warnings: tuple[str, ...]
) -> None:
    probe = probe_video(shared_data.parent / "video" / name)

    assert (probe.rotation_degrees, probe.warnings) == (rotation_degrees, warnings)
