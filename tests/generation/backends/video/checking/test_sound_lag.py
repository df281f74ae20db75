import numpy as np
import pytest

from generation.backends.video.checking.sound_lag import lag_between
from tests.recordings import noise

RATE = 48_000
SOUND = noise(1.0, RATE, 1)[0]


@pytest.mark.parametrize("shift", [-960, -1, 0, 1, 37, 960])
def test_lag_between_finds_the_shift_to_the_sample(shift: int) -> None:
    shifted = np.roll(SOUND, shift)

    assert lag_between(shifted, SOUND) == shift / RATE


def test_lag_between_is_unclear_for_silence() -> None:
    assert lag_between(np.zeros(RATE, np.float32), SOUND) is None


def test_lag_between_is_unclear_for_a_steady_tone() -> None:
    tone = np.sin(np.arange(RATE) * 2 * np.pi * 440 / RATE).astype(np.float32)

    assert lag_between(tone, tone) is None
