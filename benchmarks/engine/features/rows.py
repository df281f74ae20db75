"""Which rows of a recording's features belong to a step.

Row t of an array covers seconds t * w to (t + 1) * w. Source: the released code of CaptainCook4D,
with the floor of the start and the ceiling of the end of every piece.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from math import ceil, floor

import numpy as np
import numpy.typing as npt

# Tolerance for floats: times have three decimals, and 0.3 / 0.1 is not quite 3.
TINY = 1e-6


@dataclass(frozen=True, slots=True)
class Rows:
    """The rows of an item in the order of its pieces, and how many lie beyond the array's end.

    A row that belongs to two pieces is listed twice.
    """

    index: npt.NDArray[np.intp]
    lost_count: int


def rows_of(pieces: Iterable[tuple[float, float]], seconds_per_row: float, row_count: int) -> Rows:
    """The rows floor(s / w) to ceil(e / w) - 1 of each piece (s, e) in seconds, one after another.

    An array is often a little shorter than its recording: rows beyond its end are left out.
    """
    spans = [
        (floor(start_s / seconds_per_row + TINY), ceil(end_s / seconds_per_row - TINY))
        for start_s, end_s in pieces
    ]
    wanted = np.concatenate([np.arange(*span, dtype=np.intp) for span in spans] or [np.arange(0)])
    index = wanted[wanted < row_count]
    return Rows(index, len(wanted) - len(index))


def first_half(rows: npt.NDArray[np.intp]) -> npt.NDArray[np.intp]:
    """The first N // 2 of N rows, which is what early recognition sees."""
    return rows[: len(rows) // 2]
