"""Sounds of known beginnings are found where they begin, and the envelope follows the loudness."""

import numpy as np
import pytest

from annotation.engine.videos.sound import PEAK_COUNT, SAMPLE_RATE, Sound, SoundReading

TOLERANCE_S = 0.02
LENGTH_S = 60


def heard(samples: np.ndarray, block: int = 170) -> Sound:
    """Return what is read of samples that come in blocks, as a decoder gives them."""
    reading = SoundReading(len(samples))
    for first in range(0, len(samples), block):
        reading.add(samples[first : first + block].astype(np.float32))
    return reading.result()


def noise_burst(times_s: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """A knock: noise that dies away."""
    return rng.normal(0, 0.3, len(times_s)) * np.exp(-20 * times_s)


def tone(times_s: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """A struck glass: 600 Hz within 10 ms."""
    return (
        0.5
        * np.sin(2 * np.pi * 600 * times_s)
        * np.minimum(1, times_s / 0.01)
        * np.exp(-6 * times_s)
    )


def click(times_s: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    return np.where(times_s < 0.002, 0.8, 0.0)


def voice(times_s: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Eight harmonics of 150 Hz that come up within 30 ms and go within 150 ms."""
    harmonics = [np.sin(2 * np.pi * 150 * k * times_s) / k for k in range(1, 8)]
    rise = np.minimum(1, times_s / 0.03)
    return 0.4 * np.sum(harmonics, axis=0) * rise * np.clip((0.45 - times_s) / 0.15, 0, 1)


def planted(sound, level: float, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Return samples with `sound` in noise of that level, and when it begins each time."""
    rng = np.random.default_rng(seed)
    begins_s = np.sort(rng.uniform(0.5, LENGTH_S - 1, 60))
    begins_s = begins_s[np.append(True, np.diff(begins_s) > 0.5)]
    samples = rng.normal(0, level, LENGTH_S * SAMPLE_RATE)
    times_s = np.arange(SAMPLE_RATE // 2) / SAMPLE_RATE
    for begin_s in begins_s:
        first = round(begin_s * SAMPLE_RATE)
        samples[first : first + len(times_s)] += sound(times_s, rng)
    return np.clip(samples, -1, 1), begins_s


@pytest.mark.parametrize("seed", [1, 2])
@pytest.mark.parametrize("level", [0.0, 0.005, 0.02])
@pytest.mark.parametrize("sound", [noise_burst, tone, click, voice])
def test_onsets_of_known_sounds_are_found_within_20_ms(sound, level: float, seed: int) -> None:
    samples, begins_s = planted(sound, level, seed)

    found_s = np.array(heard(samples).onsets_s)

    distances = np.abs(found_s[:, None] - begins_s)
    assert distances.min(axis=0).max() <= TOLERANCE_S
    # And next to nothing is found where nothing begins.
    assert (distances.min(axis=1) > 0.05).sum() <= len(begins_s) * 0.1


@pytest.mark.parametrize(
    "samples",
    [
        np.zeros(10 * SAMPLE_RATE),
        0.3 * np.sin(2 * np.pi * 440 * np.arange(10 * SAMPLE_RATE) / SAMPLE_RATE),
        np.random.default_rng(3).normal(0, 0.0002, 10 * SAMPLE_RATE),
    ],
    ids=["silence", "a tone that goes on", "noise below hearing"],
)
def test_onsets_are_none_where_nothing_begins(samples: np.ndarray) -> None:
    assert [time_s for time_s in heard(samples).onsets_s if time_s > 0.05] == []


def test_onsets_do_not_depend_on_how_the_samples_come() -> None:
    samples, _ = planted(voice, 0.005, 4)

    assert heard(samples, block=1024) == heard(samples, block=len(samples)) == heard(samples)


def test_envelope_is_the_loudest_of_each_hundredth_of_a_second() -> None:
    samples = np.zeros(SAMPLE_RATE * 2 + 1)
    samples[SAMPLE_RATE // 2] = 0.25
    samples[SAMPLE_RATE] = -0.5

    envelope = np.frombuffer(heard(samples).envelope, np.uint8)

    assert len(envelope) == 201
    assert {place: int(envelope[place]) for place in np.flatnonzero(envelope)} == {
        50: 128,
        100: 255,
    }


def test_peaks_are_the_loudest_of_each_thousandth() -> None:
    samples = np.linspace(0, 0.9, 5 * SAMPLE_RATE)

    peaks = heard(samples).peaks

    assert len(peaks) == PEAK_COUNT
    assert peaks == tuple(round((place + 1) / 10 - 0.0025) for place in range(PEAK_COUNT))


def test_sound_of_a_recording_shorter_than_its_peaks() -> None:
    sound = heard(np.full(300, 0.5))

    assert (len(sound.peaks), max(sound.peaks)) == (PEAK_COUNT, 100)
    assert sound.envelope == bytes([255] * 4)


def test_sound_that_is_silent_or_not_there() -> None:
    assert heard(np.zeros(800)) == Sound((0,) * PEAK_COUNT, bytes(10))
    assert heard(np.zeros(0)) == Sound()
