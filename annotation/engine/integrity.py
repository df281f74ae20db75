"""Check that a reading is whole before anything is written: the tables' rules, with the place.

Readers check what their source may say; this checks what every reader promises (the constraints of
the tables), so that a slip of a reader is a message and not a database error. Places are named by
the source's own ids: "trace S1800002 row 4".
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass, field

from annotation.engine.formats.errors import Problem, problem
from annotation.engine.procedure import Event, Reading, Take, Trace, TraceStep
from annotation.engine.taxonomy import (
    MODS_WITH_EVENT,
    MODS_WITHOUT_REFERENCE,
    EventKind,
    Mod,
)

# The widths of the tables' columns, in characters.
UID_CHARACTERS = 200
STEM_CHARACTERS = 255
ID_CHARACTERS = 100
REASON_CHARACTERS = 300


@dataclass(slots=True)
class _Faults:
    """The faults found so far."""

    found: list[Problem] = field(default_factory=list)

    def add(self, place: str, name: str, value: object, expected: str) -> None:
        self.found.append(problem(file="", place=place, field=name, value=value, expected=expected))

    def check_text(
        self, place: str, name: str, value: str, limit: int, *, may_be_empty: bool = False
    ) -> None:
        if not value and not may_be_empty:
            self.add(place, name, value, "a text that is not empty")
        if len(value) > limit:
            self.add(place, name, value, f"at most {limit} characters")

    def check_times(self, place: str, start_s: float | None, end_s: float | None) -> None:
        if start_s is None and end_s is None:
            return
        if start_s is None or end_s is None:
            self.add(place, "times", (start_s, end_s), "both a start and an end, or neither")
        elif not (math.isfinite(start_s) and math.isfinite(end_s)):
            self.add(place, "times", (start_s, end_s), "finite seconds")
        elif not 0 <= start_s <= end_s:
            self.add(place, "times", (start_s, end_s), "0 <= start <= end")


def find_faults(reading: Reading) -> tuple[Problem, ...]:
    """Every rule that the reading breaks, in its own order; empty when it is whole."""
    faults = _Faults()
    step_counts = dict(_check_takes(reading.takes, faults))
    _check_traces(reading.traces, step_counts, faults)
    scenarios: set[str] = set()
    for graph in reading.task_graphs:
        place = f"task graph {graph.scenario}"
        faults.check_text(place, "scenario", graph.scenario, UID_CHARACTERS)
        if graph.scenario in scenarios:
            faults.add(place, "scenario", graph.scenario, "each scenario once")
        scenarios.add(graph.scenario)
    return tuple(faults.found)


def _check_takes(takes: tuple[Take, ...], faults: _Faults) -> Iterator[tuple[str, int]]:
    seen: set[str] = set()
    for take in takes:
        place = f"take {take.uid}"
        if take.uid in seen:
            faults.add(place, "uid", take.uid, "each take once")
        seen.add(take.uid)
        faults.check_text(place, "uid", take.uid, UID_CHARACTERS)
        faults.check_text(place, "name", take.name, UID_CHARACTERS)
        faults.check_text(place, "scenario", take.scenario, UID_CHARACTERS)
        faults.check_text(place, "video_stem", take.video_stem, STEM_CHARACTERS, may_be_empty=True)
        for index, step in enumerate(take.steps):
            step_place = f"{place} step {index}"
            if not step.text:
                faults.add(step_place, "text", step.text, "a text that is not empty")
            faults.check_text(step_place, "step_id", step.step_id, ID_CHARACTERS, may_be_empty=True)
            faults.check_times(step_place, step.start_s, step.end_s)
        yield take.uid, len(take.steps)


def _check_traces(traces: tuple[Trace, ...], step_counts: dict[str, int], faults: _Faults) -> None:
    seen: set[str] = set()
    for trace in traces:
        place = f"trace {trace.uid}"
        if trace.uid in seen:
            faults.add(place, "uid", trace.uid, "each trace once")
        seen.add(trace.uid)
        if trace.take_uid not in step_counts:
            faults.add(place, "take_uid", trace.take_uid, "the uid of a take of this import")
        faults.check_text(place, "uid", trace.uid, UID_CHARACTERS)
        faults.check_text(place, "name", trace.name, UID_CHARACTERS)
        faults.check_text(place, "video_stem", trace.video_stem, STEM_CHARACTERS, may_be_empty=True)
        faults.check_text(
            place, "reference_reason", trace.reference_reason, REASON_CHARACTERS, may_be_empty=True
        )
        _check_events(place, trace.events, faults)
        event_ids = {event.event_id for event in trace.events}
        for index, row in enumerate(trace.steps):
            step_count = step_counts.get(trace.take_uid, 0)
            _check_row(f"{place} row {index}", row, step_count, event_ids, faults)


def _check_events(place: str, events: tuple[Event, ...], faults: _Faults) -> None:
    mistakes = {event.event_id for event in events if event.kind is EventKind.MISTAKE}
    seen: set[str] = set()
    for event in events:
        if event.event_id in seen:
            faults.add(place, "event_id", event.event_id, "each event once")
        seen.add(event.event_id)
        faults.check_text(place, "event_id", event.event_id, ID_CHARACTERS)
        if event.target_event_id is None:
            continue
        if event.kind is not EventKind.CORRECTION:
            faults.add(
                place,
                "target_event_id",
                event.target_event_id,
                "none, as only corrections have one",
            )
        elif event.target_event_id not in mistakes:
            faults.add(
                place, "target_event_id", event.target_event_id, "a mistake of the same trace"
            )


def _check_row(
    place: str, row: TraceStep, step_count: int, event_ids: set[str], faults: _Faults
) -> None:
    faults.check_text(place, "step_id", row.step_id, ID_CHARACTERS, may_be_empty=True)
    faults.check_times(place, row.start_s, row.end_s)
    if row.mod is Mod.DELETION:
        if row.text or row.start_s is not None or row.reference_index is None:
            faults.add(place, "mod", row.mod.value, "no text, no times and a reference step")
    elif not row.text:
        faults.add(place, "text", row.text, "a text that is not empty, as the step is not deleted")
    index = row.reference_index
    if index is not None and row.mod in MODS_WITHOUT_REFERENCE:
        faults.add(place, "reference_index", index, f"none, as the mod is {row.mod.value}")
    elif index is not None and not 0 <= index < step_count:
        faults.add(place, "reference_index", index, f"a step of the take, 0 to {step_count - 1}")
    if row.event_id is None:
        if row.mod in MODS_WITH_EVENT:
            faults.add(place, "event_id", None, f"an event, as the mod is {row.mod.value}")
    elif row.mod is Mod.UNCHANGED:
        faults.add(place, "event_id", row.event_id, "none, as the row is unchanged")
    elif row.event_id not in event_ids:
        faults.add(place, "event_id", row.event_id, "an event of the same trace")
