"""How long ids, names, texts and takes may be, for every format alike."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from annotation.engine.corpus.formats.errors import Faults, fault_of_file
from annotation.engine.corpus.procedure import Reading, Step, TraceStep

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
# A day. Later times are milliseconds, frames, or the time of day of the recording.
MAX_TIME_S = 86_400


def check_lengths(reading: Reading, path: Path) -> Reading:
    """Give `reading` back, or raise `FormatError` naming everything in it that is too long.

    It raises also for a reading with nothing in it.
    """
    if not (reading.takes or reading.traces or reading.task_graphs):
        sentence = f"{path.name} has no take and no trace: there is nothing to import."
        raise fault_of_file(path.name, "empty", "a take or a trace", sentence=sentence)
    faults = Faults(path.name)
    for kind, items in (("take", reading.takes), ("trace", reading.traces)):
        for item in items:
            if len(item.steps) > MAX_STEPS:
                place = f"{kind} {item.uid[:MAX_UID_CHARACTERS]}"
                expected = f"at most {MAX_STEPS} steps"
                faults.add(place, "steps", len(item.steps), expected)
    for place, field, time_s in _times(reading):
        if time_s > MAX_TIME_S:
            expected = f"seconds of the recording, at most {MAX_TIME_S:,}"
            faults.add(place, field, time_s, expected)
    for place, field, value, most in _measured(reading):
        if len(value) > most:
            expected = f"at most {most} characters, not {len(value)}"
            faults.add(place, field, value, expected)
    faults.raise_if_any()
    return reading


def _measured(reading: Reading) -> Iterator[tuple[str, str, str, int]]:
    """Place, field, value and most characters of everything that is limited."""
    for take in reading.takes:
        place = f"take {take.uid[:MAX_UID_CHARACTERS]}"
        yield place, "uid", take.uid, MAX_UID_CHARACTERS
        yield place, "name", take.name, MAX_NAME_CHARACTERS
        yield place, "scenario", take.scenario, MAX_SCENARIO_CHARACTERS
        yield place, "video stem", take.video_stem, MAX_VIDEO_STEM_CHARACTERS
        for n, step in enumerate(take.steps, start=1):
            yield place, "step id", step.step_id, MAX_STEP_ID_CHARACTERS
            yield place, f"text of step {n}", step.text, MAX_TEXT_CHARACTERS
            yield place, f"semantic representation of step {n}", step.semrep, MAX_TEXT_CHARACTERS
    for trace in reading.traces:
        place = f"trace {trace.uid[:MAX_UID_CHARACTERS]}"
        yield place, "uid", trace.uid, MAX_UID_CHARACTERS
        yield place, "name", trace.name, MAX_NAME_CHARACTERS
        yield place, "video stem", trace.video_stem, MAX_VIDEO_STEM_CHARACTERS
        for n, row in enumerate(trace.steps, start=1):
            yield place, "step id", row.step_id, MAX_STEP_ID_CHARACTERS
            yield place, f"text of step {n}", row.text, MAX_TEXT_CHARACTERS
        for event in trace.events:
            yield place, "event id", event.event_id, MAX_EVENT_ID_CHARACTERS
    for graph in reading.task_graphs:
        yield "task graph", "scenario", graph.scenario, MAX_SCENARIO_CHARACTERS


def _times(reading: Reading) -> Iterator[tuple[str, str, float]]:
    """Place, field and seconds of the start and end of every step; 0 where it has none."""
    for kind, items in (("take", reading.takes), ("trace", reading.traces)):
        for item in items:
            place = f"{kind} {item.uid[:MAX_UID_CHARACTERS]}"
            steps: Sequence[Step | TraceStep] = item.steps
            for n, step in enumerate(steps, start=1):
                yield place, f"start of step {n}", step.start_s or 0.0
                yield place, f"end of step {n}", step.end_s or 0.0
