"""Samples lie where the file's clock says, whatever its sound does."""

from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from annotation.backends.media.aac import SoundForm
from annotation.backends.media.samples import heard_samples, sound_layout
from tests.recordings import noise, write_recording


def heard(path: Path, count: int, *, start: Fraction = Fraction(0), rate=48_000) -> np.ndarray:
    return np.concatenate(list(heard_samples(path, SoundForm(rate, "mono"), start, count)), axis=1)


def lag_of(ours: np.ndarray, theirs: np.ndarray) -> int:
    """Return by how many samples `ours` is late; at most 480."""
    lags = range(-480, 481)
    middle = slice(1000, len(theirs) - 1000)
    fits = [float(np.dot(np.roll(ours, -lag)[middle], theirs[middle])) for lag in lags]
    return lags[int(np.argmax(fits))]


@pytest.mark.parametrize("name", ["a.mp4", "a.mkv"])
@pytest.mark.parametrize("sound", [(48_000, "stereo"), (44_100, "mono")])
def test_heard_samples_lie_at_their_times(tmp_path: Path, name: str, sound) -> None:
    path = write_recording(tmp_path / name, sound=sound)

    ours = heard(path, sound[0] * 2, rate=sound[0])

    theirs = noise(3, sound[0], 1)[0][: sound[0] * 2]
    # A Matroska file of this encoder counts the encoder's own delay.
    assert ours.shape == (1, sound[0] * 2)
    assert lag_of(ours[0], theirs) in ({0} if name == "a.mp4" else {0, 1023, 1024, 1025})


def test_heard_samples_are_as_many_as_wanted(tmp_path: Path) -> None:
    path = write_recording(tmp_path / "a.mp4", frame_count=30)

    samples = heard(path, 96_000)

    assert samples.shape == (1, 96_000)
    assert np.abs(samples[0, :40_000]).max() > 0.1
    assert np.abs(samples[0, 52_000:]).max() == 0


def test_heard_samples_begin_with_silence_before_the_sound(tmp_path: Path) -> None:
    path = write_recording(tmp_path / "a.mp4", frame_count=30)

    samples = heard(path, 48_000, start=Fraction(-1, 2))

    assert np.abs(samples[0, :23_000]).max() == 0
    assert np.abs(samples[0, 25_000:]).max() > 0.1


def test_heard_samples_go_on_when_the_sound_changes_its_form(tmp_path: Path) -> None:
    first = write_recording(tmp_path / "1.ts", frame_count=30)
    second = write_recording(
        tmp_path / "2.ts", frame_count=30, times=range(30, 60), sound=(44_100, "mono")
    )
    both = tmp_path / "both.ts"
    both.write_bytes(first.read_bytes() + second.read_bytes())

    samples = heard(both, 96_000)

    assert samples.shape == (1, 96_000)
    assert np.abs(samples[0, :48_000]).max() > 0.1


def test_sound_layout_is_what_a_proxy_gets(tmp_path: Path) -> None:
    stereo = write_recording(tmp_path / "a.mp4")
    mono = write_recording(tmp_path / "b.mp4", sound=(44_100, "mono"))
    silent = write_recording(tmp_path / "c.mp4", sound=None)

    assert [sound_layout(path) for path in (stereo, mono, silent)] == ["stereo", "mono", ""]
    assert list(heard_samples(silent, SoundForm(9, "mono"), Fraction(0), 9)) == []
