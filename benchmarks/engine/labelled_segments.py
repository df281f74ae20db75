"""The timed rows of a recording with their class: correct, mistake or correction (EgoOops, 5)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from annotation.engine.corpus.procedure import Step, TraceStep
from annotation.engine.taxonomy import Mod
from benchmarks.engine.material import Recording, is_mistake
from benchmarks.engine.task import Item

CORRECT, MISTAKE, CORRECTION = CLASSES = ("correct", "mistake", "correction")
NO_STEP = "none of the steps"
ALL_RECORDINGS = "all recordings"
NORMAL, WITH_ERRORS = "recordings without errors", "recordings with errors"


def segments_of(recording: Recording) -> list[tuple[Step | TraceStep, str]]:
    """The timed rows by time, each with its class; rows of a take are all correct."""
    return [(row, _class_of(row)) for row in recording.timed_rows]


def _class_of(row: Step | TraceStep) -> str:
    if isinstance(row, TraceStep) and row.mod is Mod.CORRECTION:
        return CORRECTION
    return MISTAKE if is_mistake(row) else CORRECT


def step_of(recording: Recording, row: Step | TraceStep) -> str:
    """The id of the step that a row belongs to, the text where steps have no id; "" for none."""
    if row.step_id or isinstance(row, Step):
        return row.step_id or row.text
    place = row.reference_index
    return "" if place is None else recording.take.steps[place].text


def steps_by_id(recording: Recording) -> dict[str, str]:
    """The text of each step of the procedure by what `step_of` calls it."""
    return {step_of(recording, step): step.text for step in recording.take.steps}


def errors_of(recording: Recording) -> str:
    """ "with errors" where anything went wrong, a step that was left out included."""
    has_errors = recording.trace is not None and bool(recording.trace.events)
    return "with errors" if has_errors else "without errors"


@dataclass(frozen=True, slots=True)
class SegmentRow:
    """A segment; `place` is its step's rank among the `step_count` steps, None for no step.

    `part` and `fold` are the item's.
    """

    recording: str
    text: str
    start_s: float
    end_s: float
    place: int | None
    step_count: int
    answer: str
    fold: str
    part: str


def segment_row(
    item: Item, segment: Mapping[str, Any], place: int | None, steps: Sequence[str], answer: str
) -> SegmentRow:
    """The row of a segment of an item; `steps` are the texts of the procedure."""
    return SegmentRow(
        recording=item.recording,
        text=f"{NO_STEP if place is None else steps[place]} {item.payload['goal']}",
        start_s=segment["start_s"],
        end_s=segment["end_s"],
        place=place,
        step_count=len(steps),
        answer=answer,
        fold=item.groups.get("fold", ""),
        part=item.part,
    )
