"""Times of edges: how they are rounded, and which frames they stand between.

An edge at frame f means that f is the first frame of what begins there; the last frame of what ends
there is f - 1. Times are seconds from the first frame, rates frames per second.
"""

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import numpy.typing as npt

# An edge that somebody set is kept to the microsecond; an imported one stays as it was.
DECIMALS = 6
# The step of edges where the frames are not known, and of the schemes that say so.
TENTH_S = 0.1
# A time that is off a frame by less than 2 µs at 50 frames a second is the frame's own, rounded.
_FRAME_SLACK = 1e-4
TIME_SLACK_S = 2e-6


@dataclass(frozen=True, slots=True, eq=False)
class FrameTimes:
    """When the frames of a file are shown: `pts` (N,), rising, in ticks of `time_base` seconds."""

    time_base: Fraction
    pts: npt.NDArray[np.int64]

    def first_frame(self, start_s: float) -> int:
        """The first frame that is shown from a time on, N where the recording has ended.

        >>> times = FrameTimes(Fraction(1, 1000), np.array([500, 540, 600, 640]))
        >>> [times.first_frame(time_s) for time_s in (0.0, 0.04, 0.041, 0.2)]
        [0, 1, 2, 4]
        """
        ticks = int(self.pts[0]) + (start_s - TIME_SLACK_S) / float(self.time_base)
        return int(np.searchsorted(self.pts, ticks))


def rounded(time_s: float) -> float:
    return round(time_s, DECIMALS)


def first_frame(start_s: float, rate: float) -> int:
    """The first frame of what begins at `start_s`.

    >>> first_frame(1.0, 25), first_frame(1.001, 25), first_frame(0.033367, 30000 / 1001)
    (25, 26, 1)
    """
    return math.ceil(start_s * rate - _FRAME_SLACK)


def last_frame(end_s: float, rate: float) -> int:
    """The last frame of what ends at `end_s`: the one before the first of what follows.

    >>> last_frame(1.0, 25)
    24
    """
    return first_frame(end_s, rate) - 1


def shortest_s(*, resolution_s: float | None, rate: float | None) -> float:
    """How long what is marked lasts at least: a frame, or the step of edges where none is known."""
    return 1 / rate if rate else resolution_s or TENTH_S
