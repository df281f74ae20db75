"""Proxies: what browsers need, showing at every moment what the source shows then."""

import resource
from fractions import Fraction
from pathlib import Path

import av
import numpy as np
import pytest

from annotation.backends.media import proxy as proxies
from annotation.backends.media.aac import SoundForm
from annotation.backends.media.frame_index import read_frame_index
from annotation.backends.media.picture_form import picture_form
from annotation.backends.media.probe import probe_video
from annotation.backends.media.proxy import (
    Proxy,
    ProxyError,
    finished_segments,
    make_proxy,
    plan_proxy,
)
from annotation.backends.media.samples import heard_samples
from tests.annotation.numbered_frames import numbers_of
from tests.recordings import write_recording


def proxy_of(source: Path, folder: Path, tell=lambda count: None) -> tuple[Path, Proxy]:
    folder.mkdir(exist_ok=True)
    plan = plan_proxy(source, read_frame_index(source), picture_form(source))
    out = folder / "proxy.mp4"
    return out, make_proxy(plan, folder, out, tell)


def atoms_of(path: Path) -> list[bytes]:
    """Return the names of the boxes of an MP4 file, in order."""
    content, names, at = path.read_bytes(), [], 0
    while at < len(content):
        names.append(content[at + 4 : at + 8])
        at += int.from_bytes(content[at : at + 4], "big")
    return names


@pytest.mark.parametrize(
    ("name", "recipe"),
    [
        ("a.avi", {"codec": "mpeg4", "sound": None}),
        ("a.avi", {"codec": "mpeg4", "sound": None, "parameters": "bf=2"}),
        ("a.mp4", {"codec": "libx265"}),
        ("a.mkv", {"rate": Fraction(30000, 1001)}),
        ("a.webm", {"codec": "libvpx", "sound_codec": "libopus"}),
        ("a.ts", {"rate": Fraction(25)}),
        ("a.mov", {"rate": Fraction(24), "sound": None}),
        ("a.mp4", {"rate": Fraction(60000, 1001), "sound": (44_100, "mono")}),
    ],
)
def test_proxy_is_what_a_browser_needs_frame_for_frame(
    tmp_path: Path, name: str, recipe: dict
) -> None:
    source = write_recording(tmp_path / name, frame_count=80, group=80, **recipe)
    rate = recipe.get("rate", Fraction(30))

    out, made = proxy_of(source, tmp_path / "made")

    probe, index = probe_video(out), read_frame_index(out)
    assert numbers_of(out) == list(range(80))
    assert (made.frame_count, made.repeated_count, made.left_out_count) == (80, 0, 0)
    assert made.frame_rate == pytest.approx(float(rate))
    assert (probe.video_codec, probe.pixel_format) == ("h264", "yuv420p")
    assert (index.has_closed_groups, index.is_rate_variable, index.first_pts) == (True, False, 0)
    assert index.key_frame_distance_s <= 2
    assert atoms_of(out).index(b"moov") < atoms_of(out).index(b"mdat")
    sound = recipe.get("sound", (48_000, "stereo"))
    expected = ("aac", 48_000, 1 if sound[1] == "mono" else 2) if sound else ("", None, None)
    assert (probe.audio_codec, probe.audio_rate, probe.audio_channels) == expected
    assert probe.warnings == ()


def test_proxy_of_a_varying_rate_shows_each_frame_at_its_time(tmp_path: Path) -> None:
    times = [index if index < 30 else 30 + (index - 30) * 3 for index in range(60)]
    source = write_recording(tmp_path / "a.mp4", frame_count=60, times=times, sound=None)

    out, made = proxy_of(source, tmp_path / "made")

    # Every frame of the later half is shown for three thirtieths, the last as long as it lasts.
    shown = numbers_of(out)
    assert shown[: 30 + 29 * 3] == [
        *range(30),
        *(number for number in range(30, 59) for _ in "123"),
    ]
    assert set(shown[30 + 29 * 3 :]) == {59}
    assert made.left_out_count == 0
    assert made.repeated_count == len(shown) - 60


@pytest.mark.parametrize("rotation", [90, 180, 270])
def test_proxy_of_a_turned_recording_is_upright(tmp_path: Path, rotation: int) -> None:
    source = write_recording(
        tmp_path / "a.mp4", frame_count=10, rotation=rotation, size=(192, 108), sound=None
    )

    out, made = proxy_of(source, tmp_path / "made")

    with av.open(str(source)) as container:
        [coded, *_] = container.decode(video=0)
    with av.open(str(out)) as container:
        [upright, *_] = container.decode(video=0)
    # np.rot90 turns against the clock.
    expected = np.rot90(coded.to_ndarray(format="gray").astype(int), -rotation // 90)
    seen = upright.to_ndarray(format="gray").astype(int)
    assert (made.width, made.height) == ((108, 192) if rotation != 180 else (192, 108))
    assert upright.rotation == 0
    assert np.abs(seen - expected).mean() < 3


def test_proxy_keeps_sound_and_picture_together(tmp_path: Path) -> None:
    source = write_recording(tmp_path / "a.ts", frame_count=90)
    index = read_frame_index(source)

    out, _ = proxy_of(source, tmp_path / "made")

    def heard(path: Path, start_s: Fraction) -> np.ndarray:
        blocks = heard_samples(path, SoundForm(48_000, "mono"), start_s, 96_000)
        return np.concatenate(list(blocks), axis=1)[0]

    ours, theirs = heard(out, Fraction(0)), heard(source, index.first_pts * index.time_base)
    lags = range(-480, 481)
    middle = slice(24_000, 72_000)
    fits = [float(np.dot(np.roll(ours, lag)[middle], theirs[middle])) for lag in lags]
    assert abs(lags[int(np.argmax(fits))]) <= 48  # one millisecond


def test_proxy_of_a_recording_that_changes_its_size_has_one(tmp_path: Path) -> None:
    half = {"frame_count": 30, "sound": None, "rate": Fraction(30)}
    first = write_recording(tmp_path / "1.ts", **half)
    second = write_recording(
        tmp_path / "2.ts", size=(384, 216), first_number=30, times=range(30, 60), **half
    )
    source = tmp_path / "both.ts"
    source.write_bytes(first.read_bytes() + second.read_bytes())

    out, made = proxy_of(source, tmp_path / "made")

    # A frame or two at the seam are lost to the demuxer.
    shown = numbers_of(out)
    assert (made.width, made.height) == (192, 108)
    assert (shown[:28], shown[-28:]) == (list(range(28)), list(range(32, 60)))


def test_proxy_goes_on_where_a_killed_attempt_was(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr(proxies, "SEGMENT_GROUPS", 1)
    source = write_recording(tmp_path / "a.avi", codec="mpeg4", frame_count=200, sound=None)
    folder = tmp_path / "made"

    class KilledError(Exception):
        pass

    def killed_at_150(count: int) -> None:
        if count == 150:
            raise KilledError

    with pytest.raises(KilledError):
        proxy_of(source, folder, killed_at_150)
    plan = plan_proxy(source, read_frame_index(source), picture_form(source))
    kept = finished_segments(plan, folder)
    left = sorted(path.name for path in folder.iterdir())
    told: list[int] = []
    out, made = proxy_of(source, folder, told.append)

    assert (kept, left) == (2, ["segment-00000.mp4", "segment-00001.mp4"])
    assert told == list(range(121, 201))
    assert numbers_of(out) == list(range(200))
    assert made.frame_count == 200


def test_proxy_bridges_a_few_damaged_frames_and_counts_them(tmp_path: Path) -> None:
    source = write_recording(
        tmp_path / "a.avi", codec="mjpeg", pixel_format="yuvj420p", frame_count=60, sound=None
    )
    damage(source, range(20, 23))

    out, made = proxy_of(source, tmp_path / "made")

    assert made.damaged_count == 3
    assert numbers_of(out)[18:25] == [18, 19, 19, 19, 19, 23, 24]


def test_proxy_refuses_a_recording_that_is_mostly_damage(tmp_path: Path) -> None:
    source = write_recording(
        tmp_path / "a.avi", codec="mjpeg", pixel_format="yuvj420p", frame_count=120, sound=None
    )
    damage(source, range(20, 100))

    with pytest.raises(ProxyError, match=r"is damaged from 0\.6 s on"):
        proxy_of(source, tmp_path / "made")
    assert not (tmp_path / "made" / "proxy.mp4").exists()


def damage(path: Path, frames: range) -> None:
    """Overwrite the pictures of these frames in an AVI file."""
    with av.open(str(path)) as container:
        packets = [(packet.pos, packet.size) for packet in container.demux(video=0) if packet.size]
    content = bytearray(path.read_bytes())
    for frame in frames:
        place, size = packets[frame]
        content[place : place + size] = b"\xff" * size
    path.write_bytes(content)


def test_proxy_on_a_full_disk_leaves_nothing_half_written(tmp_path: Path) -> None:
    source = write_recording(tmp_path / "a.avi", codec="mpeg4", frame_count=120, sound=None)
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)

    resource.setrlimit(resource.RLIMIT_FSIZE, (2000, hard))
    try:
        with pytest.raises(OSError, match=r"File too large"):
            proxy_of(source, tmp_path / "made")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))

    assert list((tmp_path / "made").iterdir()) == []
