"""Splices at every rate with every sound, and wherever the cuts are in every kind of stream."""

import pytest

from tests.generation.backends.video.splicing.test_splice import (
    B_FRAMES,
    CUTS,
    RATES,
    SOUNDS,
    assert_exact_at,
    assert_exact_with,
    clip,  # noqa: F401
    folder,  # noqa: F401
)


@pytest.mark.parametrize("rate", RATES, ids=str)
@pytest.mark.parametrize("sound", SOUNDS, ids=str)
def test_splice_is_exact_at_every_rate_with_every_sound(rate, sound, clip, tmp_path):  # noqa: F811
    assert_exact_at(rate, sound, clip, tmp_path)


@pytest.mark.parametrize("b_frames", B_FRAMES)
@pytest.mark.parametrize("cuts", CUTS, ids=str)
def test_splice_is_exact_with_every_cut_and_b_frames(b_frames, cuts, clip, tmp_path):  # noqa: F811
    assert_exact_with(b_frames, cuts, clip, tmp_path)
