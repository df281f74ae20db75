"""The loudness of a recording over its time, and the moments at which something begins to sound.

Onsets are found as Dixon (Onset detection revisited, DAFx 2006, 2.1 and 2.6) finds those of music:
how much louder the frequencies get from one window to the next is added up (spectral flux, of the
logarithm of the magnitudes), and peaks that stand out from what is around them are kept where it
gets louder. Windows are too long to say when: an onset is where a fifth of that rise is done.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import scipy

from annotation.engine.videos.recording_detail import ENVELOPE_RATE

# Enough for a drawing and for what can be told of onsets; most of the cost is decoding.
SAMPLE_RATE = 8000
# As many as a strip is pixels wide.
PEAK_COUNT = 1000
LOUDEST_PEAK, LOUDEST_BYTE = 100, 255
# Below -60 dB of full scale a recording counts as silent, or its noise would fill the strip.
SILENCE = 0.001

HOP = SAMPLE_RATE // ENVELOPE_RATE
WINDOW = 256
# Added to the magnitudes, which are of samples up to 1, before their logarithm is taken. A smaller
# one makes more of quiet frequencies, and of noise that hides what begins.
FLOOR = 1.0
# A peak is the highest within 30 ms, and so much above the median of the quarter of a second on
# each side, in usual distances from it.
NEARBY_HOPS, AROUND_HOPS, PROMINENCE = 3, 25, 6.0
# The loudness by which an onset's time is told: 400 values a second, looked at 30 ms on each side.
FINE = HOP // 4
NEARBY_FINE = 12
# It gets louder by so much of the loudest moment and of what was before: a whisper is no onset.
SMALLEST_RISE, SMALLEST_GROWTH = 0.02, 0.5
# An onset is where so much of the rise is done. Pulses of a voice come every 12 ms or faster.
BEGUN, HELD_FINE = 0.2, 5
APART_S = 0.05
SAMPLES_AT_ONCE = 32 * SAMPLE_RATE

Floats = npt.NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Sound:
    """`peaks`: the loudest of each thousandth of the time, 0 to 100, and 100 the loudest of all.

    `envelope`: the same of each hundredth of a second, 0 to 255. `onsets_s` rise. All are empty
    where there is no sound.
    """

    peaks: tuple[int, ...] = ()
    envelope: bytes = b""
    onsets_s: tuple[float, ...] = ()


class SoundReading:
    """Reads a recording's samples once, block by block, from its first frame on.

    It holds some 7 MB for an hour, and a block of half a minute.
    """

    def __init__(self, sample_count: int) -> None:
        self._edges = np.linspace(0, sample_count, PEAK_COUNT + 1).astype(np.int64)
        self._peaks = np.zeros(PEAK_COUNT, np.float32)
        self._fine = np.zeros(-(-sample_count // FINE), np.float32)
        self._flux = np.zeros(-(-sample_count // HOP), np.float32)
        self._waiting: list[Floats] = []
        self._waiting_count = self._given = 0
        # The window of a hop is centred on its begin, so half of it lies before.
        self._before = np.zeros(WINDOW // 2, np.float32)
        self._magnitudes = np.zeros(WINDOW // 2 + 1, np.float32)

    def add(self, block: Floats) -> None:
        """Take the next samples, (N,) from -1 to 1."""
        self._waiting.append(block)
        self._waiting_count += len(block)
        if self._waiting_count >= SAMPLES_AT_ONCE:
            samples = np.concatenate(self._waiting)
            whole = (len(samples) - WINDOW // 2) // HOP * HOP
            self._read(samples, whole)
            self._waiting, self._waiting_count = [samples[whole:]], len(samples) - whole

    def result(self) -> Sound:
        """What was heard; to be asked for once, after the last block."""
        if self._waiting:
            samples = np.concatenate(self._waiting)
            self._read(samples, len(samples))
        if not self._given:
            return Sound()
        loudest = float(self._peaks.max())
        if loudest < SILENCE:
            return Sound((0,) * PEAK_COUNT, bytes(len(self._flux)))
        padded = np.zeros(len(self._flux) * (HOP // FINE), np.float32)
        padded[: len(self._fine)] = self._fine
        hops = padded.reshape(-1, HOP // FINE).max(axis=1)
        return Sound(
            peaks=tuple(round(LOUDEST_PEAK * float(value) / loudest) for value in self._peaks),
            envelope=np.rint(LOUDEST_BYTE * hops / loudest).astype(np.uint8).tobytes(),
            onsets_s=onsets(self._flux, self._fine / np.float32(loudest)),
        )

    def _read(self, samples: Floats, count: int) -> None:
        """Read the first `count` samples; those after them are looked at by the last windows."""
        loudness = np.abs(samples[:count])
        first, last = self._given, self._given + count
        before = int(np.searchsorted(self._edges, first, side="right")) - 1
        places = np.arange(before, min(PEAK_COUNT, int(np.searchsorted(self._edges, last))))
        begins = np.maximum(self._edges[places] - first, 0)
        if count:
            highest = np.maximum.reduceat(loudness, np.minimum(begins, count - 1))
            self._peaks[places] = np.maximum(self._peaks[places], highest)
            fine = np.maximum.reduceat(loudness, np.arange(0, count, FINE))
            self._fine[first // FINE : first // FINE + len(fine)] = fine
        self._add_flux(samples, first // HOP, -(-count // HOP))
        self._before = np.concatenate([self._before, samples[:count]])[-(WINDOW // 2) :]
        self._given = last

    def _add_flux(self, samples: Floats, first_hop: int, hop_count: int) -> None:
        if not hop_count:
            return
        needed = (hop_count - 1) * HOP + WINDOW
        known = np.concatenate([self._before, samples])[:needed]
        known = np.pad(known, (0, needed - len(known)))
        windows = np.lib.stride_tricks.sliding_window_view(known, WINDOW)[::HOP]
        spectra = np.abs(np.fft.rfft(windows * np.hanning(WINDOW).astype(np.float32), axis=1))
        magnitudes = np.log(FLOOR + spectra).astype(np.float32)
        rises = np.diff(magnitudes, axis=0, prepend=self._magnitudes[None])
        self._flux[first_hop : first_hop + hop_count] = np.maximum(rises, 0).sum(axis=1)
        self._magnitudes = magnitudes[-1]


def onsets(flux: Floats, loudness: Floats) -> tuple[float, ...]:
    """The seconds at which something begins to sound, rising.

    flux: (H,) of each hop of 10 ms; loudness: (4 H,) from 0 to 1, of each fourth of a hop.
    """
    around = scipy.ndimage.median_filter(flux, size=2 * AROUND_HOPS + 1, mode="nearest")
    above = flux - around
    usual = float(np.median(np.abs(above))) or float(np.mean(np.abs(above)))
    is_highest = flux == scipy.ndimage.maximum_filter1d(
        flux, size=2 * NEARBY_HOPS + 1, mode="nearest"
    )
    found = np.flatnonzero(is_highest & (above > PROMINENCE * usual))
    times: list[float] = []
    for hop in found.tolist():
        time_s = _begin_s(loudness, hop * HOP // FINE)
        is_apart = time_s is not None and (not times or time_s - times[-1] >= APART_S)
        if time_s is not None and is_apart:
            times.append(time_s)
    return tuple(round(time_s, 4) for time_s in times)


def _begin_s(loudness: Floats, place: int) -> float | None:
    """When the loudness near a place of it begins to rise; None where it does not get louder."""
    first = max(0, place - NEARBY_FINE)
    nearby = loudness[first : place + NEARBY_FINE]
    highest = int(nearby.argmax())
    before = float(np.median(loudness[max(0, first - NEARBY_FINE) : first])) if first else 0.0
    rise = float(nearby[highest]) - before
    if rise < max(SMALLEST_RISE, SMALLEST_GROWTH * before):
        return None
    # A voice is pulses: it is not quiet again between two of them.
    held = scipy.ndimage.maximum_filter1d(
        nearby, size=HELD_FINE, origin=HELD_FINE // 2, mode="nearest"
    )
    quiet = np.flatnonzero(held[:highest] < before + BEGUN * rise)
    begin = first + (int(quiet[-1]) + 1 if len(quiet) else 0)
    return float(begin * FINE / SAMPLE_RATE)
