"""What was done from when to when in a recording, and whether it was right (EgoOops, 5)."""

from annotation.engine.procedure import Step, TraceStep
from annotation.engine.taxonomy import Mod
from benchmarks.engine.material import Recording

CORRECT, MISTAKE, CORRECTION = CLASSES = ("correct", "mistake", "correction")


def segments_of(recording: Recording) -> list[tuple[Step | TraceStep, str]]:
    """The timed rows by time, with their class; rows of a take are right."""
    if recording.trace is None:
        timed = [(row, CORRECT) for row in recording.take.steps if row.start_s is not None]
        return sorted(timed, key=lambda pair: (pair[0].start_s, pair[0].end_s))
    found = []
    for row in recording.trace.steps:
        if row.start_s is None or row.mod is Mod.DELETION:
            continue
        # Whether a step came in its place is no part of the question.
        is_marked = any(not label.is_derived for label in row.labels)
        if not row.labels:
            is_marked = row.mod in (Mod.ERROR, Mod.INSERTION, Mod.MOVED_TARGET)
        answer = MISTAKE if is_marked else CORRECT
        found.append((row, CORRECTION if row.mod is Mod.CORRECTION else answer))
    return sorted(found, key=lambda pair: (pair[0].start_s, pair[0].end_s))


def step_of(recording: Recording, row: Step | TraceStep) -> str:
    """The id of the step that a row realises, its text where steps have no id; "" for none."""
    if row.step_id or isinstance(row, Step):
        return row.step_id or row.text
    place = row.reference_index
    return "" if place is None else recording.take.steps[place].text


def has_mistakes(recording: Recording) -> bool:
    """Whether anything went wrong, steps that were left out among it."""
    return recording.trace is not None and bool(recording.trace.events)
