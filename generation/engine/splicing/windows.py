"""The exclusive window of every step of a take: real annotations overlap, cuts must not.

Of 1,209 neighbouring pairs of the published Ego-Exo4D takes 16 overlap. If two steps overlap, the
cut is in the middle of the overlap; if that would leave a step (nearly) nothing, the whole group of
overlapping steps is divided in proportion to their own lengths. Changed windows are marked, so that
they can be counted and shown.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from annotation.engine.corpus.procedure import Take
from generation.engine.splicing.exceptions import WindowError

# A shorter window would not be noticed: two frames at 25 per second.
SHORTEST_WINDOW_S = 0.08
# Annotators mark the last step a little beyond the last frame.
END_TOLERANCE_S = 1.0


@dataclass(frozen=True, slots=True)
class Window:
    """The part of the recording that belongs to one step alone, in seconds.

    `rank` is its position in time order among the timed steps. `is_adjusted`: the annotated times
    were longer, since they overlapped a neighbour or exceeded the recording.
    """

    reference_index: int
    rank: int
    start_s: float
    end_s: float
    is_adjusted: bool = False

    @property
    def duration_s(self) -> float:
        return self.end_s - self.start_s


@dataclass(frozen=True, slots=True)
class _Span:
    reference_index: int
    start_s: float
    end_s: float


def exclusive_windows(take: Take, duration_s: float) -> tuple[Window, ...]:
    """One window per timed step in time order; none overlaps another or leaves the video.

    `duration_s` is the length of the recording. Steps without times get no window. Raises
    `WindowError` for a step that ends before it starts or begins after the recording's end.
    """
    if duration_s <= 0:
        raise WindowError(f"the recording lasts {duration_s} s; expected more than 0")
    spans: list[_Span] = []
    for index, step in enumerate(take.steps):
        if step.start_s is None or step.end_s is None:
            continue
        lasts = f"lasts from {step.start_s} to {step.end_s} s"
        lasts = f"step {index} ({step.text!r}) of take {take.uid} {lasts}"
        if not 0 <= step.start_s < step.end_s:
            raise WindowError(f"{lasts}; expected a start of at least 0 and a later end")
        if step.start_s >= duration_s or step.end_s > duration_s + END_TOLERANCE_S:
            raise WindowError(f"{lasts}; expected times within the recording of {duration_s} s")
        spans.append(_Span(index, step.start_s, min(step.end_s, duration_s)))
    spans.sort(key=lambda span: (span.start_s, span.end_s))
    groups: list[list[_Span]] = []
    group_end_s = 0.0
    for span in spans:
        if span.start_s < group_end_s:
            groups[-1].append(span)
        else:
            groups.append([span])
        group_end_s = max(span.end_s, group_end_s)
    bounds = [both for group in groups for both in _divided(group)]
    annotated = [(step.start_s, step.end_s) for step in take.steps]
    return tuple(
        Window(
            reference_index=span.reference_index,
            rank=rank,
            start_s=start_s,
            end_s=end_s,
            is_adjusted=(start_s, end_s) != annotated[span.reference_index],
        )
        for rank, (span, (start_s, end_s)) in enumerate(zip(spans, bounds, strict=True))
    )


def _divided(group: Sequence[_Span]) -> list[tuple[float, float]]:
    """The bounds of the steps of one group, in order."""
    if len(group) == 1:
        return [(group[0].start_s, group[0].end_s)]
    bounds = [[span.start_s, span.end_s] for span in group]
    for (left, right), (earlier, later) in zip(pairwise(bounds), pairwise(group), strict=True):
        shared_end_s = min(earlier.end_s, later.end_s)
        if later.start_s < shared_end_s:
            left[1] = right[0] = (later.start_s + shared_end_s) / 2
    divided = [(start_s, end_s) for start_s, end_s in bounds]
    in_order = all(earlier[1] <= later[0] for earlier, later in pairwise(divided))
    if in_order and all(end_s - start_s >= SHORTEST_WINDOW_S for start_s, end_s in divided):
        return divided
    start_s = group[0].start_s
    end_s = max(span.end_s for span in group)
    total_s = sum(span.end_s - span.start_s for span in group)
    edges_s = [start_s]
    passed_s = 0.0
    for span in group[:-1]:
        passed_s += span.end_s - span.start_s
        edges_s.append(start_s + (end_s - start_s) * passed_s / total_s)
    # Not computed like the others, since a rounding error could exceed the recording.
    edges_s.append(end_s)
    return list(pairwise(edges_s))
