"""Rules between the parts of a file in PIE-V's own format, in whatever order it has them."""

from collections.abc import Iterator, Mapping, Set

from annotation.engine.corpus.formats.errors import Faults
from annotation.engine.corpus.formats.reading import note_repeats
from annotation.engine.corpus.procedure import Event, Reading, Trace, TraceStep, Utterance
from annotation.engine.taxonomy import (
    MODS_WITH_EVENT,
    MODS_WITHOUT_REFERENCE,
    ErrorType,
    EventKind,
    Mod,
    TaxonomyLabel,
)

# A field, its value, and what was expected of it.
Broken = tuple[str, object, str]


def check_reading(reading: Reading, faults: Faults) -> None:
    """Note every broken reference, range and rule of `Mod` in a reading of well-typed values."""
    takes, traces = reading.takes, reading.traces
    note_repeats(((take.uid, f"takes[{n}]") for n, take in enumerate(takes)), faults, "uid")
    note_repeats(((trace.uid, f"traces[{n}]") for n, trace in enumerate(traces)), faults, "uid")
    graphs = ((graph.scenario, f"task_graphs[{n}]") for n, graph in enumerate(reading.task_graphs))
    note_repeats(graphs, faults, "scenario")
    for number, take in enumerate(takes):
        if not take.steps:
            faults.add(f"takes[{number}]", "steps", [], "at least one step")
    step_counts = {take.uid: len(take.steps) for take in takes}
    uids = {take.uid for take in takes}, {trace.uid for trace in traces}
    for number, said in enumerate(reading.utterances):
        for broken in broken_of_utterance(said, *uids):
            faults.add(f"utterances[{number}]", *broken)
    for number, trace in enumerate(traces):
        _check_trace(trace, f"traces[{number}]", step_counts.get(trace.take_uid), faults)


def _check_trace(trace: Trace, place: str, step_count: int | None, faults: Faults) -> None:
    if step_count is None:
        faults.add(place, "take_uid", trace.take_uid, "the uid of a take here")
    if not trace.steps:
        faults.add(place, "steps", [], "at least one step")
    numbered = [(event, f"{place}.events[{n}]") for n, event in enumerate(trace.events)]
    note_repeats(((event.event_id, where) for event, where in numbered), faults, "event_id")
    mistakes = {item.event_id for item in trace.events if item.kind is EventKind.MISTAKE}
    realised = {step.event_id for step in trace.steps if step.mod in MODS_WITH_EVENT}
    for event, where in numbered:
        for broken in _broken_of_event(event, mistakes, realised):
            faults.add(where, *broken)
    kinds = {event.event_id: event.kind for event in trace.events}
    for n, step in enumerate(trace.steps):
        for broken in _broken_of_step(step, kinds, step_count):
            faults.add(f"{place}.steps[{n}]", *broken)


def broken_of_utterance(
    said: Utterance, take_uids: Set[str], trace_uids: Set[str]
) -> Iterator[Broken]:
    """What is wrong with where and when something is said."""
    if bool(said.take_uid) == bool(said.trace_uid):
        given = said.take_uid, said.trace_uid
        yield "take_uid and trace_uid", given, "exactly one of the two"
    elif said.take_uid and said.take_uid not in take_uids:
        yield "take_uid", said.take_uid, "the uid of a take here"
    elif said.trace_uid and said.trace_uid not in trace_uids:
        yield "trace_uid", said.trace_uid, "the uid of a trace here"
    if said.start_s is None or said.end_s is None:
        yield "start_s and end_s", (said.start_s, said.end_s), "two times in seconds"


def _broken_of_event(
    event: Event, mistakes: Set[str], realised: Set[str | None]
) -> Iterator[Broken]:
    target, proposed = event.target_event_id, event.proposed_type
    is_correction = event.kind is EventKind.CORRECTION
    if event.event_id not in realised:
        yield "event_id", event.event_id, "an event that a step of this trace names"
    if target is not None and target not in mistakes:
        yield "target_event_id", target, "the id of a mistake of this trace"
    if target is not None and not is_correction:
        yield "target_event_id", target, "nothing: only a correction has a target"
    if proposed is not None and is_correction != (proposed is TaxonomyLabel.CORRECTION):
        types = "C" if is_correction else f"one of {', '.join(ErrorType.registered())}"
        yield "proposed_type", str(proposed), f"{types} for a {event.kind}"


def _broken_of_step(
    step: TraceStep, kinds: Mapping[str, EventKind], step_count: int | None
) -> Iterator[Broken]:
    """What is wrong with a row; its place in the take only where `step_count` says its length."""
    mod, event_id = step.mod, step.event_id
    if mod is not Mod.DELETION and not step.text.strip():
        yield "text", step.text, "text"
    if mod is Mod.DELETION and step.text != "":
        yield "text", step.text, "no text for a deleted step"
    if mod is Mod.DELETION and step.start_s is not None:
        yield "start_s", step.start_s, "no times for a deleted step"
    kind = EventKind.CORRECTION if mod is Mod.CORRECTION else EventKind.MISTAKE
    if event_id is None:
        if mod in MODS_WITH_EVENT:
            yield "event_id", None, f"an event for mod {mod}"
    elif mod is Mod.UNCHANGED:
        yield "event_id", event_id, "no event for mod u"
    elif kinds.get(event_id) is not kind:
        yield "event_id", event_id, f"the id of a {kind} of this trace"
    if step_count is not None:
        yield from _broken_of_place(mod, step.reference_index, step_count)


def _broken_of_place(mod: Mod, index: int | None, step_count: int) -> Iterator[Broken]:
    if index is None:
        if mod is Mod.DELETION:
            yield "reference_index", None, "the position of the step that is missing"
    elif mod in MODS_WITHOUT_REFERENCE:
        yield "reference_index", index, f"none for mod {mod}"
    elif not 0 <= index < step_count:
        yield "reference_index", index, f"a position from 0 to {step_count - 1}"
