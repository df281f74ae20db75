"""From features of a recording to pieces in time, and from pieces to steps of a procedure.

Source: Plan, Watch, Recover, appendix I. Letters: T rows of features in time, F features.
"""

import heapq
import json
import re
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import scipy

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


@dataclass(frozen=True, slots=True)
class WardTree:
    """How T rows of features were merged, neighbours in time alone, by Ward's distance.

    A node is a number: the T rows first, then the T - 1 merges as they were made. `halves` (T - 1,
    2) are the two nodes of each merge by time, `heights` their distances, which rise. `spans` are
    the first row of each node and one past its last.
    """

    halves: npt.NDArray[np.int64]
    heights: npt.NDArray[np.float64]
    spans: npt.NDArray[np.int64]

    @property
    def row_count(self) -> int:
        return len(self.halves) + 1

    def nodes(self, count: int) -> list[int]:
        """The nodes of a cut into so many pieces, by time; no more than there are rows."""
        # The merges that were made last, at the greatest distances, are taken back first.
        found = [-(2 * self.row_count - 2)]
        while len(found) < min(count, self.row_count):
            later = -heapq.heappop(found)
            for half in self.parts_of(later):
                heapq.heappush(found, -half)
        return sorted((-node for node in found), key=lambda node: self.span(node))

    def parts_of(self, node: int) -> tuple[int, ...]:
        """The two nodes that were merged into one, by time; none of a single row."""
        place = node - self.row_count
        return () if place < 0 else tuple(self.halves[place].tolist())

    def span(self, node: int) -> tuple[int, int]:
        first, end = self.spans[node].tolist()
        return first, end


def ward_tree(features: npt.ArrayLike) -> WardTree:
    """The whole tree of (T, F) features; of equal distances the earlier rows are merged first."""
    rows = np.asarray(features, dtype=np.float64)
    if rows.ndim != 2 or not len(rows):
        raise ValueError(f"features of shape {rows.shape}; expected (T, F) with T of 1 or more")
    # scikit-learn takes a second to load, and most processes never need it.
    from sklearn.cluster import AgglomerativeClustering  # noqa: PLC0415

    count = len(rows)
    spans = np.column_stack([np.arange(count), np.arange(1, count + 1)]).tolist()
    if count == 1:
        none = np.empty((0, 2), np.int64)
        return WardTree(none, np.empty(0), np.array(spans))
    neighbours = scipy.sparse.diags_array([1.0, 1.0], offsets=[-1, 1], shape=(count, count))
    found = AgglomerativeClustering(
        n_clusters=None,
        distance_threshold=0.0,
        linkage="ward",
        connectivity=neighbours.tocsr(),
        compute_full_tree=True,
    ).fit(rows)
    halves = []
    for one, other in found.children_.tolist():
        pair = (one, other) if spans[one] < spans[other] else (other, one)
        halves.append(pair)
        spans.append([spans[pair[0]][0], spans[pair[1]][1]])
    return WardTree(np.array(halves), found.distances_, np.array(spans))


def ward_segments(features: npt.ArrayLike, segment_count: int) -> list[tuple[int, int]]:
    """Pieces (first row, one past the last) of (T, F) features, merged by Ward's distance.

    Only neighbours in time are merged, so the same look at two times is two pieces. At most T
    pieces.
    """
    if segment_count < 1:
        raise ValueError(f"{segment_count} pieces; expected 1 or more")
    tree = ward_tree(features)
    return [tree.span(node) for node in tree.nodes(segment_count)]


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
