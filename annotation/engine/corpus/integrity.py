"""Check that a reading is whole before anything is written: the tables' rules, with the place.

Readers check what their source may say; this checks what every reader promises (the constraints of
the tables), so that a slip of a reader is a message and not a database error. Places are named by
the source's own ids: "trace S1800002 row 4".
"""

from collections.abc import Iterable, Iterator
from math import inf, isfinite
from typing import TypeVar

from annotation.engine.corpus.formats.errors import Problem, problem
from annotation.engine.corpus.formats.native_checks import broken_of_utterance
from annotation.engine.corpus.procedure import Event, Reading, Step, TraceStep, Utterance
from annotation.engine.taxonomy import MODS_WITH_EVENT, MODS_WITHOUT_REFERENCE, EventKind, Mod

# The widths of the tables' columns, in characters.
UID_CHARACTERS = 200
STEM_CHARACTERS = 255
ID_CHARACTERS = 100
REASON_CHARACTERS = 300
TEXTS: dict[str, dict[str, float]] = {
    "take": {
        "uid": UID_CHARACTERS, "name": UID_CHARACTERS, "scenario": UID_CHARACTERS,
        "video_stem": STEM_CHARACTERS,
    },
    "step": {"text": inf, "step_id": ID_CHARACTERS},
    "trace": {
        "uid": UID_CHARACTERS, "name": UID_CHARACTERS, "video_stem": STEM_CHARACTERS,
        "reference_reason": REASON_CHARACTERS,
    },
    "event": {"event_id": ID_CHARACTERS},
    "row": {"step_id": ID_CHARACTERS},
    "graph": {"scenario": UID_CHARACTERS},
    "utterance": {"text": inf, "reason": ID_CHARACTERS},
}  # fmt: skip
MAY_BE_EMPTY = frozenset({"video_stem", "step_id", "reference_reason", "reason"})

Item = TypeVar("Item")
# Place, field, value and what was expected there.
Broken = tuple[str, str, object, str]


def find_faults(reading: Reading) -> tuple[Problem, ...]:
    """Every rule that the reading breaks, in its own order; empty when it is whole."""
    return tuple(
        problem(file="", place=place, field=name, value=value, expected=expected)
        for place, name, value, expected in _broken(reading)
    )


def _broken(reading: Reading) -> Iterator[Broken]:
    step_counts = {take.uid: len(take.steps) for take in reading.takes}
    for take, is_again in _with_repeats(reading.takes, "uid"):
        place = f"take {take.uid}"
        if is_again:
            yield place, "uid", take.uid, "each take once"
        yield from _of_texts(place, "take", take)
        for index, step in enumerate(take.steps):
            yield from _of_texts(f"{place} step {index}", "step", step)
            yield from _of_times(f"{place} step {index}", step)
    for trace, is_again in _with_repeats(reading.traces, "uid"):
        place = f"trace {trace.uid}"
        if is_again:
            yield place, "uid", trace.uid, "each trace once"
        if trace.take_uid not in step_counts:
            yield place, "take_uid", trace.take_uid, "the uid of a take of this import"
        yield from _of_texts(place, "trace", trace)
        yield from _of_events(place, trace.events)
        event_ids = {event.event_id for event in trace.events}
        for index, row in enumerate(trace.steps):
            yield from _of_texts(f"{place} row {index}", "row", row)
            yield from _of_times(f"{place} row {index}", row)
            yield from _of_row(
                f"{place} row {index}", row, step_counts.get(trace.take_uid, 0), event_ids
            )
    for graph, is_again in _with_repeats(reading.task_graphs, "scenario"):
        place = f"task graph {graph.scenario}"
        yield from _of_texts(place, "graph", graph)
        if is_again:
            yield place, "scenario", graph.scenario, "each scenario once"
    yield from _of_utterances(reading)


def _of_utterances(reading: Reading) -> Iterator[Broken]:
    take_uids = {take.uid for take in reading.takes}
    trace_uids = {trace.uid for trace in reading.traces}
    for number, said in enumerate(reading.utterances):
        place = f"utterance {number} of {said.take_uid or said.trace_uid}"
        yield from _of_texts(place, "utterance", said)
        yield from _of_times(place, said)
        for broken in broken_of_utterance(said, take_uids, trace_uids):
            yield place, *broken


def _with_repeats(items: Iterable[Item], name: str) -> Iterator[tuple[Item, bool]]:
    """Each item, and whether one before it has the same id."""
    seen: set[str] = set()
    for item in items:
        key = getattr(item, name)
        yield item, key in seen
        seen.add(key)


def _of_texts(place: str, kind: str, item: object) -> Iterator[Broken]:
    for name, most in TEXTS[kind].items():
        value = getattr(item, name)
        if not value and name not in MAY_BE_EMPTY:
            yield place, name, value, "a text that is not empty"
        if len(value) > most:
            yield place, name, value, f"at most {most} characters"


def _of_times(place: str, step: Step | TraceStep | Utterance) -> Iterator[Broken]:
    times = step.start_s, step.end_s
    start_s, end_s = times
    if start_s is None and end_s is None:
        return
    if start_s is None or end_s is None:
        yield place, "times", times, "both a start and an end, or neither"
    elif not (isfinite(start_s) and isfinite(end_s)):
        yield place, "times", times, "finite seconds"
    elif not 0 <= start_s <= end_s:
        yield place, "times", times, "0 <= start <= end"


def _of_events(place: str, events: tuple[Event, ...]) -> Iterator[Broken]:
    mistakes = {event.event_id for event in events if event.kind is EventKind.MISTAKE}
    for event, is_again in _with_repeats(events, "event_id"):
        target = event.target_event_id
        if is_again:
            yield place, "event_id", event.event_id, "each event once"
        yield from _of_texts(place, "event", event)
        if target is not None and event.kind is not EventKind.CORRECTION:
            yield place, "target_event_id", target, "none, as only corrections have one"
        elif target is not None and target not in mistakes:
            yield place, "target_event_id", target, "a mistake of the same trace"


def _of_row(place: str, row: TraceStep, step_count: int, event_ids: set[str]) -> Iterator[Broken]:
    mod, index = row.mod, row.reference_index
    if mod is Mod.DELETION:
        if row.text or row.start_s is not None or index is None:
            yield place, "mod", mod.value, "no text, no times and a reference step"
    elif not row.text:
        yield place, "text", row.text, "a text that is not empty, as the step is not deleted"
    if index is not None and mod in MODS_WITHOUT_REFERENCE:
        yield place, "reference_index", index, f"none, as the mod is {mod.value}"
    elif index is not None and not 0 <= index < step_count:
        yield place, "reference_index", index, f"a step of the take, 0 to {step_count - 1}"
    if row.event_id is None:
        if mod in MODS_WITH_EVENT:
            yield place, "event_id", None, f"an event, as the mod is {mod.value}"
    elif mod is Mod.UNCHANGED:
        yield place, "event_id", row.event_id, "none, as the row is unchanged"
    elif row.event_id not in event_ids:
        yield place, "event_id", row.event_id, "an event of the same trace"
