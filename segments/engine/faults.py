"""Where a segmentation breaks the rules of its scheme.

Faults are only shown while somebody works; they have to be mended before submitting.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum

from annotation.engine.videos.clock import shortest_s
from segments.engine.model import Segment, Segmentation
from segments.engine.scheme import Geometry, LabelSource, Scheme, Track

# Times are rounded to the microsecond, so both edges may be off by half of one.
ROUNDING_S = 1e-6


class FaultKind(StrEnum):
    GAP = "gap"
    OVERLAP = "overlap"
    TOO_SHORT = "too short"
    NOT_A_POINT = "not a point"
    BEYOND_THE_END = "beyond the end"
    NO_STEP = "no step"
    UNKNOWN_STEP = "unknown step"
    NO_LABEL = "no label"
    UNKNOWN_LABEL = "unknown label"
    NO_TEXT = "no text"
    PARENT_LOST = "belongs to nothing"
    PROPOSAL = "proposal"
    DONE_AND_MISSING = "done and missing"
    NOT_SAID = "neither done nor missing"


@dataclass(frozen=True, slots=True)
class Fault:
    """A fault at the segment `key`; `other` is another segment, a step or a label in it.

    `start_s` and `end_s` are those of a gap, an overlap, or the part beyond the end.
    """

    kind: FaultKind
    key: str = ""
    other: str = ""
    start_s: float | None = None
    end_s: float | None = None


def faults(
    state: Segmentation, scheme: Scheme, step_ids: Iterable[str] | None = None
) -> tuple[Fault, ...]:
    """Every fault, track by track and then by time.

    `step_ids` are the steps of the procedure; without them no step counts as unknown or missing.
    """
    steps = None if step_ids is None else tuple(dict.fromkeys(step_ids))
    every_fault: list[Fault] = []
    for track in scheme.tracks:
        timed = state.timed(track.name)
        least_s = shortest_s(resolution_s=scheme.resolution_s, rate=state.rate)
        every_fault += _of_edges(timed, track, least_s, state.duration_s)
        if track.geometry is not Geometry.FREE:
            every_fault += _of_neighbours(timed, track, least_s, state.duration_s)
        for segment in state:
            if segment.track == track.name:
                every_fault += _of_words(state, segment, track, steps)
        if track.source is LabelSource.STEPS and steps is not None:
            every_fault += _of_steps(state, track, steps)
    return tuple(every_fault)


def _of_edges(
    timed: Iterable[Segment], track: Track, least_s: float, duration_s: float | None
) -> Iterator[Fault]:
    for segment in timed:
        start_s, end_s = segment.span
        if track.is_points and start_s != end_s:
            yield Fault(FaultKind.NOT_A_POINT, segment.key)
        if not track.is_points and end_s - start_s < least_s - ROUNDING_S:
            yield Fault(FaultKind.TOO_SHORT, segment.key)
        if duration_s is not None and end_s > duration_s + ROUNDING_S:
            yield Fault(FaultKind.BEYOND_THE_END, segment.key, "", duration_s, end_s)


def _of_neighbours(
    timed: Iterable[Segment], track: Track, least_s: float, duration_s: float | None
) -> Iterator[Fault]:
    reached_s, longest = 0.0, ""
    is_partition = track.geometry is Geometry.PARTITION
    for segment in timed:
        start_s, end_s = segment.span
        if start_s < reached_s:
            until_s = min(reached_s, end_s)
            yield Fault(FaultKind.OVERLAP, longest, segment.key, start_s, until_s)
        elif is_partition and start_s > reached_s:
            yield Fault(FaultKind.GAP, longest, segment.key, reached_s, start_s)
        if end_s >= reached_s:
            reached_s, longest = end_s, segment.key
    if is_partition and duration_s is not None and reached_s < duration_s - least_s - ROUNDING_S:
        yield Fault(FaultKind.GAP, longest, "", reached_s, duration_s)


def _of_words(
    state: Segmentation, segment: Segment, track: Track, steps: tuple[str, ...] | None
) -> Iterator[Fault]:
    if segment.is_proposal:
        yield Fault(FaultKind.PROPOSAL, segment.key)
    if track.source is LabelSource.STEPS:
        yield from _of_step(segment, track, steps)
    elif track.source is LabelSource.LABELS and not segment.label:
        yield Fault(FaultKind.NO_LABEL, segment.key)
    if segment.label:
        label = track.label(segment.label)
        if label is None:
            yield Fault(FaultKind.UNKNOWN_LABEL, segment.key, segment.label)
        elif label.templates and not segment.text.strip():
            yield Fault(FaultKind.NO_TEXT, segment.key, segment.label)
    if track.belongs_to:
        parent = state.segments.get(segment.parent_key)
        if parent is None or parent.is_deleted or parent.track != track.belongs_to:
            yield Fault(FaultKind.PARENT_LOST, segment.key, segment.parent_key)


def _of_step(segment: Segment, track: Track, steps: tuple[str, ...] | None) -> Iterator[Fault]:
    is_undefined = track.is_undefined(segment.step_id)
    if not segment.step_id:
        yield Fault(FaultKind.NO_STEP, segment.key)
    elif steps is not None and segment.step_id not in steps and not is_undefined:
        yield Fault(FaultKind.UNKNOWN_STEP, segment.key, segment.step_id)
    if is_undefined and not segment.text.strip():
        yield Fault(FaultKind.NO_TEXT, segment.key)


def _of_steps(state: Segmentation, track: Track, steps: tuple[str, ...]) -> Iterator[Fault]:
    segments = [segment for segment in state if segment.track == track.name]
    done = {segment.step_id for segment in segments if not segment.is_missing}
    missing = {segment.step_id: segment.key for segment in segments if segment.is_missing}
    for step_id, key in missing.items():
        if step_id in done:
            yield Fault(FaultKind.DONE_AND_MISSING, key, step_id)
    if track.says_missing:
        for step_id in steps:
            if step_id not in done and step_id not in missing:
                yield Fault(FaultKind.NOT_SAID, "", step_id)
