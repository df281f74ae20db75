"""From features of a recording to pieces in time, and from pieces to steps of a procedure.

Source: Plan, Watch, Recover, appendix I. Letters: T rows of features in time, F features.
"""

import json
import re
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import numpy.typing as npt
import scipy
from sklearn.cluster import AgglomerativeClustering

# 2.5 steps a minute where the number of steps is not known: one in so many milliseconds.
MILLISECONDS_PER_STEP = 24_000
_FENCE = re.compile(r"^\s*```\w*\s*|\s*```\s*$")


def target_segments(duration_s: float, step_count: int | None = None) -> tuple[int, int]:
    """The number of steps, and of pieces to cut: 1.3 times as many, in whole numbers.

    >>> target_segments(96.0), target_segments(500.0, 10)
    ((4, 5), (10, 13))
    """
    steps = -(-round(1000 * duration_s) // MILLISECONDS_PER_STEP)
    if step_count is not None:
        steps = step_count
    return steps, 13 * steps // 10


def ward_segments(features: npt.ArrayLike, segment_count: int) -> list[tuple[int, int]]:
    """Pieces (first row, one past the last) of (T, F) features, merged by Ward's distance.

    Only neighbours in time are merged, so the same look at two times is two pieces; of equal
    distances the earlier rows are merged first. At most T pieces.
    """
    rows = np.asarray(features, dtype=np.float64)
    if rows.ndim != 2 or segment_count < 1:
        raise ValueError(
            f"features of shape {rows.shape} in {segment_count} pieces; expected (T, F), 1 or more"
        )
    count = min(segment_count, len(rows))
    if count == len(rows):
        return [(row, row + 1) for row in range(len(rows))]
    size = (len(rows), len(rows))
    neighbours = scipy.sparse.diags_array([1.0, 1.0], offsets=[-1, 1], shape=size)
    found = AgglomerativeClustering(
        n_clusters=count, linkage="ward", connectivity=neighbours.tocsr(), compute_full_tree=True
    ).fit_predict(rows)
    edges = [0, *(np.flatnonzero(np.diff(found)) + 1).tolist(), len(rows)]
    return list(pairwise(edges))


@dataclass(frozen=True, slots=True)
class Alignment:
    """The step of each piece, from 1 on, 0 for none.

    `order_inversions` counts pairs of pieces whose steps stand in the other order: a deviation
    may be one, so they are counted and not forbidden.
    """

    steps: tuple[int, ...]
    unmatched_segments: int
    steps_without_segment: tuple[int, ...]
    order_inversions: int


class AlignmentFaultError(ValueError):
    """A model's answer that is no alignment: a code, and its numbers by name."""

    def __init__(self, code: str, **numbers: int) -> None:
        self.code, self.numbers = code, numbers
        listed = ", ".join(f"{name} {number}" for name, number in numbers.items())
        super().__init__(f"{code.replace('_', ' ')} ({listed})")


def parse_alignment(text: str, segment_count: int, step_count: int) -> Alignment:
    """A JSON list with the step of each piece; raises AlignmentFaultError."""
    try:
        steps = json.loads(_FENCE.sub("", text))
    except (ValueError, RecursionError) as error:
        raise AlignmentFaultError("not_json") from error
    if not isinstance(steps, list):
        raise AlignmentFaultError("not_json")
    if len(steps) != segment_count:
        raise AlignmentFaultError("wrong_length", expected=segment_count, found=len(steps))
    for place, step in enumerate(steps):
        if type(step) is not int:
            raise AlignmentFaultError("not_a_whole_number", segment=place)
        if not 0 <= step <= step_count:
            raise AlignmentFaultError("step_out_of_range", segment=place)
    matched = np.array([step for step in steps if step])
    inversions = sum(int((matched[:place] > step).sum()) for place, step in enumerate(matched))
    without = tuple(sorted({*range(1, step_count + 1)} - {*steps}))
    return Alignment(tuple(steps), steps.count(0), without, inversions)
