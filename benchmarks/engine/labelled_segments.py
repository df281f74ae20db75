"""What was done from when to when in a recording, and whether it was right (EgoOops, 5)."""

from dataclasses import dataclass

from annotation.engine.procedure import Step, TraceStep
from annotation.engine.taxonomy import Mod
from benchmarks.engine.material import Recording, is_mistake

CORRECT, MISTAKE, CORRECTION = CLASSES = ("correct", "mistake", "correction")


def segments_of(recording: Recording) -> list[tuple[Step | TraceStep, str]]:
    """The timed rows by time, with their class; rows of a take are right."""
    return [
        (
            row,
            CORRECTION
            if isinstance(row, TraceStep) and row.mod is Mod.CORRECTION
            else MISTAKE
            if is_mistake(row)
            else CORRECT,
        )
        for row in recording.timed_rows
    ]


def step_of(recording: Recording, row: Step | TraceStep) -> str:
    """The id of the step that a row realises, its text where steps have no id; "" for none."""
    if row.step_id or isinstance(row, Step):
        return row.step_id or row.text
    place = row.reference_index
    return "" if place is None else recording.take.steps[place].text


def has_mistakes(recording: Recording) -> bool:
    """Whether anything went wrong, steps that were left out among it."""
    return recording.trace is not None and bool(recording.trace.events)


@dataclass(frozen=True, slots=True)
class SegmentRow:
    """A segment: `place` of its step among the `step_count` of the procedure, None for no step.

    `fold` is whose turn it is to be tested; rows of the part "train" are learned from.
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
