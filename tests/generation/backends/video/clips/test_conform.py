from fractions import Fraction

import pytest

from annotation.backends.media.facts import read_media
from generation.backends.video.clips.conform import ConformedClip, accept_upload, conform_clip
from generation.backends.video.exceptions import ClipError
from tests.recordings import (
    CLIP,
    Recipe,
    clip_numbers,
    shown_numbers,
    write_recording,
)


@pytest.mark.parametrize("rate", [Fraction(25), Fraction(60000, 1001)], ids=str)
def test_conform_clip_gives_the_form_of_the_recording(rate, tmp_path) -> None:
    recording = read_media(write_recording(tmp_path / "recording.mp4", rate=rate))
    clip = write_recording(tmp_path / "clip.mp4", CLIP)
    out = tmp_path / "out.mp4"

    stored = conform_clip(clip, recording, out)

    count = round(rate)
    written = read_media(out)
    assert stored == ConformedClip(out, count, float(count / rate), has_sound=False)
    assert shown_numbers(out) == clip_numbers(count, rate)
    assert (written.width, written.height, written.frame_rate) == (192, 108, rate)
    assert written.obstacles == ()
    assert written.reorder_depth <= recording.reorder_depth


def test_conform_clip_brings_sound_to_the_rate_of_the_recording(tmp_path) -> None:
    recording = read_media(write_recording(tmp_path / "recording.mp4", sound=(44_100, "mono")))
    clip = write_recording(tmp_path / "clip.mp4", frame_count=30)

    stored = conform_clip(clip, recording, tmp_path / "out.mp4")

    sound = read_media(stored.path).sound
    assert sound is not None
    assert (sound.codec, sound.sample_rate, sound.layout) == ("aac", 44_100, "mono")


@pytest.mark.parametrize("size", [(108, 192), (400, 100), (64, 64)])
def test_conform_clip_fills_the_picture_in_every_shape(size, tmp_path) -> None:
    recording = read_media(write_recording(tmp_path / "recording.mp4", sound=None))
    clip = write_recording(tmp_path / "clip.mp4", size=size, frame_count=5, sound=None)

    stored = conform_clip(clip, recording, tmp_path / "out.mp4")

    written = read_media(stored.path)
    assert (written.width, written.height) == (192, 108)
    assert written.frame_count == 5


def test_conform_clip_stands_a_turned_clip_upright(tmp_path) -> None:
    recording = read_media(write_recording(tmp_path / "recording.mp4", sound=None))
    upright = write_recording(tmp_path / "upright.mp4", frame_count=5, sound=None)
    # Coded on its side by nobody, only said to be turned twice by half.
    turned = write_recording(tmp_path / "turned.mp4", frame_count=5, sound=None, rotation=180)

    first = conform_clip(upright, recording, tmp_path / "first.mp4")
    second = conform_clip(turned, recording, tmp_path / "second.mp4")

    bits = [f"{number:012b}" for number in shown_numbers(first.path)]
    assert [f"{number:012b}"[::-1] for number in shown_numbers(second.path)] == bits


def test_accept_upload_cuts_what_is_too_long(tmp_path) -> None:
    recording = read_media(write_recording(tmp_path / "recording.mp4"))
    upload = write_recording(tmp_path / "upload.mp4", frame_count=90)

    stored = accept_upload(upload, recording, tmp_path / "out.mp4", shortest_s=1.0, longest_s=2.0)

    assert stored.frame_count == 60


def test_accept_upload_refuses_what_is_too_short(tmp_path) -> None:
    recording = read_media(write_recording(tmp_path / "recording.mp4"))
    upload = write_recording(tmp_path / "upload.mp4", frame_count=10)

    with pytest.raises(ClipError, match=r"lasts 0.33 s; expected at least 1 s"):
        accept_upload(upload, recording, tmp_path / "out.mp4", shortest_s=1.0, longest_s=2.0)


def test_conform_clip_refuses_a_clip_that_ends_too_early(tmp_path) -> None:
    recording = read_media(write_recording(tmp_path / "recording.mp4"))
    times = [*range(20), 80]
    clip = write_recording(
        tmp_path / "clip.mp4", Recipe(frame_count=21, times=times, sound=None, group=90)
    )
    content = clip.read_bytes()
    clip.write_bytes(content[: len(content) // 2])

    with pytest.raises(ClipError):
        conform_clip(clip, recording, tmp_path / "out.mp4")

    assert not (tmp_path / "out.mp4").exists()
