"""How long ids and names may be, for every format alike: what the tables have room for."""

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

# (field, value, most characters)
Measured = tuple[str, str, int]


def _of_take(take: Take) -> Iterator[Measured]:
    yield "uid", take.uid, MAX_UID_CHARACTERS
    yield "name", take.name, MAX_NAME_CHARACTERS
    yield "scenario", take.scenario, MAX_SCENARIO_CHARACTERS
    yield "video stem", take.video_stem, MAX_VIDEO_STEM_CHARACTERS
    for step in take.steps:
        yield "step id", step.step_id, MAX_STEP_ID_CHARACTERS


def _of_trace(trace: Trace) -> Iterator[Measured]:
    yield "uid", trace.uid, MAX_UID_CHARACTERS
    yield "name", trace.name, MAX_NAME_CHARACTERS
    yield "video stem", trace.video_stem, MAX_VIDEO_STEM_CHARACTERS
    for step in trace.steps:
        yield "step id", step.step_id, MAX_STEP_ID_CHARACTERS
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


def check_lengths(reading: Reading, path: Path) -> Reading:
    """Return `reading`, or raise `FormatError` naming every id and name that is too long."""
    faults = Faults(path.name)
    for place, (field, value, most) in _measured(reading):
        if len(value) > most:
            expected = f"at most {most} characters, not {len(value)}"
            faults.add(place=place, field=field, value=value, expected=expected)
    faults.raise_if_any()
    return reading
