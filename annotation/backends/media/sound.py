"""What is heard in a recording, read in one pass."""

from fractions import Fraction
from pathlib import Path

from annotation.backends.media.aac import SoundForm
from annotation.backends.media.frame_index import FrameIndex
from annotation.backends.media.samples import heard_samples
from annotation.engine.videos.sound import SAMPLE_RATE, Sound, SoundReading


def read_sound(path: Path, index: FrameIndex) -> Sound:
    """The sound of a recording from its first frame to its last; empty where there is none."""
    count = max(1, round(index.duration_s * SAMPLE_RATE))
    start = Fraction(index.first_pts * index.time_base)
    reading = SoundReading(count)
    for block in heard_samples(path, SoundForm(SAMPLE_RATE, "mono"), start, count):
        reading.add(block[0])
    return reading.result()
