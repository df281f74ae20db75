"""The frames of a file without decoding them: when each is shown, and where decoding can begin.

This reads every packet, which for a long recording means the whole file; linking does without.
"""

from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

import av
import numpy as np
import numpy.typing as npt
from av.container import InputContainer
from av.video.stream import VideoStream

from annotation.backends.media.container import opened_video, picture_stream
from annotation.backends.media.exceptions import VideoError
from annotation.backends.media.probe import RATE_TOLERANCE

# Frame times in ticks of the stream's time base, (N,) or (K,), rising.
Ticks = npt.NDArray[np.int64]

# More unusual distances than this make a rate variable: a frame that was lost here and there does
# not, because all others still lie on the grid.
IRREGULAR_SHARE = 0.01
# Of a variable rate, nine in ten frames are at least so far apart as the grid is made for.
SHORT_GAP_PERCENT = 10
HIGHEST_VARIABLE_RATE, LOWEST_VARIABLE_RATE = Fraction(60), Fraction(10)
RATE_CLOSENESS = Fraction(1, 50)
# A browser that is sent to the middle of a frame's place finds the frame if it begins before it.
MOST_OFF_GRID_FRAMES = 0.4
LARGEST_DENOMINATOR = 100_000
USUAL_RATES = (
    *(Fraction(rate) for rate in (60, 50, 30, 25, 24, 20, 15, 12, 10)),
    *(Fraction(rate * 1000, 1001) for rate in (60, 30, 24)),
)


@dataclass(frozen=True, slots=True)
class FrameIndex:
    """The frames of a file in the order of showing.

    `pts` (N,) and `key_pts` (K,) are in ticks of `time_base`; `end_pts` is when the last one ends.
    `stated_rate` is what the container says. `has_closed_groups` is whether no frame before a key
    frame comes after it in the file; None where the file states no times to tell it by.
    """

    time_base: Fraction
    pts: Ticks
    key_pts: Ticks
    end_pts: int
    stated_rate: Fraction | None
    has_closed_groups: bool | None

    @property
    def frame_count(self) -> int:
        return len(self.pts)

    @property
    def first_pts(self) -> int:
        return int(self.pts[0])

    @property
    def duration_s(self) -> float:
        return float((self.end_pts - self.first_pts) * self.time_base)

    @property
    def times_s(self) -> npt.NDArray[np.float64]:
        """When each frame is shown, (N,) seconds from the first."""
        return (self.pts - self.pts[0]) * float(self.time_base)

    @property
    def key_frame_distance_s(self) -> float:
        """The longest stretch, in seconds, that has to be decoded to reach a frame."""
        ends = np.append(self.key_pts[1:], self.end_pts)
        return float(np.max(ends - self.key_pts) * float(self.time_base))

    @property
    def is_rate_variable(self) -> bool:
        gaps = np.diff(self.pts)
        if not len(gaps):
            return False
        usual = float(np.median(gaps))
        # One tick is rounding: Matroska counts in milliseconds.
        is_unusual = np.abs(gaps - usual) > max(1.0, RATE_TOLERANCE * usual)
        return bool(np.mean(is_unusual) > IRREGULAR_SHARE)

    @property
    def grid_rate(self) -> Fraction:
        """The constant rate that shows these frames best, in frames per second.

        Of a steady recording that is its own rate. Of one that varies it is fine enough for nine in
        ten of its frames, within 10 to 60 per second.
        """
        gaps = np.diff(self.pts)
        if not len(gaps):
            return self.stated_rate or USUAL_RATES[3]
        if self.is_rate_variable:
            shortest = max(1.0, float(np.percentile(gaps, SHORT_GAP_PERCENT)))
            rate = 1 / (Fraction(shortest) * self.time_base)
            rate = max(LOWEST_VARIABLE_RATE, min(HIGHEST_VARIABLE_RATE, rate))
            return _nearest(rate, USUAL_RATES)
        steady = gaps[gaps <= 1.5 * np.median(gaps)]
        rate = 1 / (Fraction(float(np.mean(steady))) * self.time_base)
        return _nearest(rate, (self.stated_rate,) if self.stated_rate else USUAL_RATES)

    @property
    def even_rate(self) -> Fraction | None:
        """The rate on whose grid every frame lies, None where there is no such rate.

        A frame that was lost leaves its place empty. What the container states, and the usual rates
        near it, come before what the times add up to.
        """
        if self.is_rate_variable or self.frame_count < 2:
            return None if self.is_rate_variable else self.grid_rate
        times_s = self.times_s
        measured = Fraction((self.frame_count - 1) / float(times_s[-1]))
        stated = (self.stated_rate,) if self.stated_rate else ()
        for rate in (self.grid_rate, *stated, measured.limit_denominator(LARGEST_DENOMINATOR)):
            places = times_s * float(rate)
            numbers = np.rint(places)
            is_near = np.abs(places - numbers) < MOST_OFF_GRID_FRAMES
            if is_near.all() and (np.diff(numbers) > 0).all():
                return rate
        return None

    def frame_at(self, time_s: float) -> int:
        """Which frame is shown so many seconds after the first; the ends hold beyond."""
        ticks = self.first_pts + round(Fraction(time_s) / self.time_base)
        place = int(np.searchsorted(self.pts, ticks, side="right")) - 1
        return min(max(0, place), self.frame_count - 1)

    def pts_of(self, frame: int) -> int:
        return int(self.pts[frame])

    def number_of(self, pts: int) -> int | None:
        """The number of the frame shown at a time; None for one that is never shown."""
        if pts < self.first_pts:
            return None
        return int(np.searchsorted(self.pts, pts, side="right")) - 1

    def key_pts_before(self, pts: int) -> int:
        """The key frame at or before a time; the first where there is none."""
        place = int(np.searchsorted(self.key_pts, pts, side="right")) - 1
        return int(self.key_pts[max(0, place)])


def _nearest(rate: Fraction, rates: tuple[Fraction, ...]) -> Fraction:
    """The known rate that is close enough, else the rate itself, as a simple fraction."""
    best = min(rates, key=lambda other: abs(other - rate))
    if abs(best - rate) <= RATE_CLOSENESS * rate:
        return best
    return rate.limit_denominator(1001)


def read_frame_index(path: Path) -> FrameIndex:
    """The index of a file's first moving picture; raises `VideoError` without frames."""
    with opened_video(path) as container:
        stream = picture_stream(container)
        shown: list[int] = []
        keys: list[int] = []
        end, is_closed, is_timed = 0, True, True
        try:
            for packet in container.demux(stream):
                time = packet.pts if packet.pts is not None else packet.dts
                if time is None or packet.size == 0:
                    continue
                is_timed = is_timed and packet.pts is not None
                if packet.is_keyframe:
                    keys.append(time)
                elif keys and time < keys[-1]:
                    is_closed = False
                # Frames that an edit list hides are decoded, but never shown.
                if packet.is_discard:
                    continue
                shown.append(time)
                end = max(end, time + (packet.duration or 0))
        except av.FFmpegError as error:
            raise VideoError(f"is damaged ({error.strerror}) after {len(shown)} frames") from error
        if not shown:
            raise VideoError("holds no frame")
        if not is_timed:
            # Times of decoding are all that the container has; showing starts when the decoder
            # gives its first frame.
            shift = _first_shown(container, stream) - min(shown)
            shown, keys = [time + shift for time in shown], [time + shift for time in keys]
            end += shift
        if not keys:
            raise VideoError("holds no key frame, so nothing can be decoded")
        stated_rate = stream.guessed_rate or stream.average_rate
        return FrameIndex(
            time_base=Fraction(stream.time_base or 1),
            pts=np.unique(np.array(shown, np.int64)),
            key_pts=np.unique(np.array(keys, np.int64)),
            end_pts=max(end, max(shown) + 1),
            stated_rate=Fraction(stated_rate) if stated_rate else None,
            has_closed_groups=is_closed if is_timed else None,
        )


def _first_shown(container: InputContainer, stream: VideoStream) -> int:
    """The time of the first frame as the decoder tells it."""
    try:
        container.seek(0)
        for frame in container.decode(stream):
            if frame.pts is not None:
                return frame.pts
    except av.FFmpegError as error:
        raise VideoError(f"is damaged ({error.strerror})") from error
    raise VideoError("holds no picture that can be decoded")
