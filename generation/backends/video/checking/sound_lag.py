"""The time difference between sound and its original, by cross-correlation."""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from pathlib import Path

import numpy as np
from av.container import InputContainer

from annotation.backends.media.aac import SoundForm
from annotation.backends.media.container import opened
from annotation.backends.media.samples import Samples, samples_in

# A millisecond is a thirtieth of a frame, which nobody hears.
LONGEST_LAG_S = 0.001
MEASURED_S = Fraction(1, 2)
SHORTEST_S = Fraction(1, 5)
# Beside a cut, one packet is a mixture of both sides, so measuring starts further away.
MARGIN_S = Fraction(1, 10)
SEARCHED_S = 0.05
QUIET = 1e-3
# A steady tone matches itself at many lags, so that none of them is certain.
CLEAREST_RIVAL = 0.98
_MEASURING_RATE = 48_000


def join_lags(
    path: Path, source: Path, places: Sequence[tuple[Fraction, Fraction, Fraction]]
) -> Iterator[float | None]:
    """Yield the lag in seconds at the start and end of every kept stretch, None if unclear.

    `places` are (time in the new file, time in the source, length) in seconds on the files' clocks.
    """
    with opened(path) as written, opened(source) as original:
        for new_at, source_at, length in places:
            usable = length - 2 * MARGIN_S
            if usable < SHORTEST_S:
                continue
            size = min(MEASURED_S, usable)
            for offset in sorted({MARGIN_S, length - MARGIN_S - size}):
                yield lag_between(
                    _read(written, new_at + offset, size),
                    _read(original, source_at + offset, size),
                )


def _read(container: InputContainer, start: Fraction, length: Fraction) -> Samples:
    form = SoundForm(_MEASURING_RATE, "mono", 0)
    blocks = list(samples_in(container, form, start, round(length * form.sample_rate)))
    return np.concatenate(blocks, axis=1)[0]


def lag_between(samples: Samples, original: Samples) -> float | None:
    """By how many seconds `samples` are later than `original`, None if unclear.

    Both (N,) float at the measuring rate. Unclear: too quiet, or matching as well at another lag.
    """
    if min(float(np.std(samples)), float(np.std(original))) < QUIET:
        return None
    size = 1 << (2 * len(original) - 1).bit_length()
    product = np.fft.rfft(samples, size) * np.conj(np.fft.rfft(original, size))
    reach = round(SEARCHED_S * _MEASURING_RATE)
    both = np.fft.irfft(product, size)
    correlation = np.concatenate([both[-reach:], both[: reach + 1]])
    best = int(np.argmax(correlation))
    near = _MEASURING_RATE // 1000
    rivals = np.concatenate([correlation[: max(0, best - near)], correlation[best + near + 1 :]])
    if rivals.size and rivals.max() > CLEAREST_RIVAL * correlation[best]:
        return None
    return (best - reach) / _MEASURING_RATE
