"""The loudness of a recording over its time, for a strip under a player."""

from fractions import Fraction
from pathlib import Path

import numpy as np

from annotation.backends.media.aac import SoundForm
from annotation.backends.media.frame_index import FrameIndex
from annotation.backends.media.samples import heard_samples

# As many as a strip is pixels wide.
PEAK_COUNT = 1000
LOUDEST = 100
# Enough for a drawing; most of the cost is decoding.
SAMPLE_RATE = 8000
# Below -60 dB of full scale a recording counts as silent, or its noise would fill the strip.
SILENCE = 0.001


def peaks(path: Path, index: FrameIndex) -> tuple[int, ...]:
    """The loudest sample of each thousandth of the recording's time, 0 to 100.

    100 is the loudest moment of the whole recording. Empty where there is no sound.
    """
    count = max(1, round(index.duration_s * SAMPLE_RATE))
    edges = np.linspace(0, count, PEAK_COUNT + 1).astype(np.int64)
    highest = np.zeros(PEAK_COUNT, np.float32)
    given = 0
    start = Fraction(index.first_pts * index.time_base)
    for block in heard_samples(path, SoundForm(SAMPLE_RATE, "mono"), start, count):
        loudness = np.abs(block[0])
        places = np.searchsorted(edges, np.arange(given, given + len(loudness)), side="right") - 1
        np.maximum.at(highest, np.minimum(places, PEAK_COUNT - 1), loudness)
        given += len(loudness)
    if not given:
        return ()
    loudest = float(highest.max())
    if loudest < SILENCE:
        return (0,) * PEAK_COUNT
    return tuple(round(LOUDEST * float(value) / loudest) for value in highest)
