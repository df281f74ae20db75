"""How long ids, names, texts and takes may be, for every format alike."""

from collections.abc import Iterator
from pathlib import Path

from annotation.engine.formats.reading import Faults
from annotation.engine.procedure import Reading, Take, Trace

MAX_UID_CHARACTERS = 200
MAX_NAME_CHARACTERS = 200
# Shorter than a name, as the sentence about a trace's reference names the scenario.
MAX_SCENARIO_CHARACTERS = 150
MAX_STEP_ID_CHARACTERS = 100
MAX_EVENT_ID_CHARACTERS = 100
MAX_VIDEO_STEM_CHARACTERS = 255
# Not what the tables have room for, but what can be compared word by word and step by step while
# somebody waits for the page. The longest known step has 354 characters, the longest take 129 rows.
MAX_TEXT_CHARACTERS = 5000
MAX_STEPS = 2000

# (field, value, most characters)
Measured = tuple[str, str, int]


def _of_take(take: Take) -> Iterator[Measured]:
    yield "uid", take.uid, MAX_UID_CHARACTERS
    yield "name", take.name, MAX_NAME_CHARACTERS
    yield "scenario", take.scenario, MAX_SCENARIO_CHARACTERS
    yield "video stem", take.video_stem, MAX_VIDEO_STEM_CHARACTERS
    for number, step in enumerate(take.steps, start=1):
        yield "step id", step.step_id, MAX_STEP_ID_CHARACTERS
        yield f"text of step {number}", step.text, MAX_TEXT_CHARACTERS
        yield f"semantic representation of step {number}", step.semrep, MAX_TEXT_CHARACTERS


def _of_trace(trace: Trace) -> Iterator[Measured]:
    yield "uid", trace.uid, MAX_UID_CHARACTERS
    yield "name", trace.name, MAX_NAME_CHARACTERS
    yield "video stem", trace.video_stem, MAX_VIDEO_STEM_CHARACTERS
    for number, step in enumerate(trace.steps, start=1):
        yield "step id", step.step_id, MAX_STEP_ID_CHARACTERS
        yield f"text of step {number}", step.text, MAX_TEXT_CHARACTERS
    for event in trace.events:
        yield "event id", event.event_id, MAX_EVENT_ID_CHARACTERS


def _measured(reading: Reading) -> Iterator[tuple[str, Measured]]:
    for take in reading.takes:
        place = f"take {take.uid[:MAX_UID_CHARACTERS]}"
        yield from ((place, measured) for measured in _of_take(take))
    for trace in reading.traces:
        place = f"trace {trace.uid[:MAX_UID_CHARACTERS]}"
        yield from ((place, measured) for measured in _of_trace(trace))
    for graph in reading.task_graphs:
        yield "task graph", ("scenario", graph.scenario, MAX_SCENARIO_CHARACTERS)


def _step_counts(reading: Reading) -> Iterator[tuple[str, int]]:
    for take in reading.takes:
        yield f"take {take.uid[:MAX_UID_CHARACTERS]}", len(take.steps)
    for trace in reading.traces:
        yield f"trace {trace.uid[:MAX_UID_CHARACTERS]}", len(trace.steps)


def check_lengths(reading: Reading, path: Path) -> Reading:
    """Return `reading`, or raise `FormatError` naming everything in it that is too long."""
    faults = Faults(path.name)
    for place, step_count in _step_counts(reading):
        if step_count > MAX_STEPS:
            expected = f"at most {MAX_STEPS} steps"
            faults.add(place=place, field="steps", value=step_count, expected=expected)
    for place, (field, value, most) in _measured(reading):
        if len(value) > most:
            expected = f"at most {most} characters, not {len(value)}"
            faults.add(place=place, field=field, value=value, expected=expected)
    faults.raise_if_any()
    return reading
