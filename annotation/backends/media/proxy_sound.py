"""The sound of a proxy: AAC at 48 kHz, mono or stereo, on the clock of its pictures."""

from fractions import Fraction
from pathlib import Path

from av.container import OutputContainer

from annotation.backends.media.aac import SoundForm, SoundWriter, sound_frames
from annotation.backends.media.frame_index import FrameIndex
from annotation.backends.media.samples import heard_samples, sound_layout

SAMPLE_RATE = 48_000
BIT_RATES = {"mono": 96_000, "stereo": 160_000}


def proxy_sound(source: Path, index: FrameIndex, output: OutputContainer) -> SoundWriter:
    """What writes the sound of a recording into its proxy; nothing where it has none."""
    layout = sound_layout(source)
    if not layout:
        return SoundWriter(output, None)
    form = SoundForm(SAMPLE_RATE, layout, BIT_RATES[layout])
    start = Fraction(index.first_pts * index.time_base)
    count = max(1, round(index.duration_s * SAMPLE_RATE))
    blocks = heard_samples(source, form, start, count)
    return SoundWriter(output, form, sound_frames(blocks, form, is_last_filled=False))
