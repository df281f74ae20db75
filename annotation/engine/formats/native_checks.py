"""What must hold between the parts of a file in PIE-V's own format, whatever the order in it."""

from annotation.engine.formats.reading import Faults, note_repeats
from annotation.engine.procedure import Event, Reading, Step, Trace, TraceStep
from annotation.engine.taxonomy import (
    MODS_WITH_EVENT,
    MODS_WITHOUT_REFERENCE,
    ErrorType,
    EventKind,
    Mod,
    TaxonomyLabel,
)


def check_reading(reading: Reading, faults: Faults) -> None:
    """Note every broken reference, range and rule of `Mod` in a reading of well-typed values."""
    takes, traces = reading.takes, reading.traces
    note_repeats(((take.uid, f"takes[{n}]") for n, take in enumerate(takes)), faults, "uid")
    note_repeats(((trace.uid, f"traces[{n}]") for n, trace in enumerate(traces)), faults, "uid")
    graphs = ((graph.scenario, f"task_graphs[{n}]") for n, graph in enumerate(reading.task_graphs))
    note_repeats(graphs, faults, "scenario")
    steps_by_take = {take.uid: take.steps for take in takes}
    for number, take in enumerate(takes):
        if not take.steps:
            faults.add(
                place=f"takes[{number}]", field="steps", value=[], expected="at least one step"
            )
    for number, trace in enumerate(traces):
        _check_trace(trace, steps_by_take.get(trace.take_uid), f"traces[{number}]", faults)


def _check_trace(
    trace: Trace, reference: tuple[Step, ...] | None, place: str, faults: Faults
) -> None:
    if reference is None:
        faults.add(
            place=place, field="take_uid", value=trace.take_uid, expected="the uid of a take here"
        )
    if not trace.steps:
        faults.add(place=place, field="steps", value=[], expected="at least one step")
    _check_events(trace, place, faults)
    kinds = {event.event_id: event.kind for event in trace.events}
    for number, step in enumerate(trace.steps):
        step_place = f"{place}.steps[{number}]"
        _check_wording(step, step_place, faults)
        _check_event_of_step(step, kinds, step_place, faults)
        if reference is not None:
            _check_reference(step, len(reference), step_place, faults)


def _check_events(trace: Trace, place: str, faults: Faults) -> None:
    numbered = [(event, f"{place}.events[{n}]") for n, event in enumerate(trace.events)]
    note_repeats(((event.event_id, where) for event, where in numbered), faults, "event_id")
    mistakes = {event.event_id for event in trace.events if event.kind is EventKind.MISTAKE}
    realised = {step.event_id for step in trace.steps if step.mod in MODS_WITH_EVENT}
    for event, where in numbered:
        if event.event_id not in realised:
            faults.add(
                place=where,
                field="event_id",
                value=event.event_id,
                expected="an event that a step of this trace names",
            )
        if event.target_event_id is not None and event.target_event_id not in mistakes:
            faults.add(
                place=where,
                field="target_event_id",
                value=event.target_event_id,
                expected="the id of a mistake of this trace",
            )
        if event.target_event_id is not None and event.kind is EventKind.MISTAKE:
            expected = "nothing: only a correction has a target"
            faults.add(
                place=where,
                field="target_event_id",
                value=event.target_event_id,
                expected=expected,
            )
        _check_type(event, where, faults)


def _check_type(event: Event, place: str, faults: Faults) -> None:
    if event.proposed_type is None:
        return
    is_correction = event.kind is EventKind.CORRECTION
    if is_correction == (event.proposed_type is TaxonomyLabel.CORRECTION):
        return
    expected = "C" if is_correction else f"one of {', '.join(ErrorType.known())}"
    faults.add(
        place=place,
        field="proposed_type",
        value=str(event.proposed_type),
        expected=f"{expected} for a {event.kind}",
    )


def _check_wording(step: TraceStep, place: str, faults: Faults) -> None:
    if step.mod is not Mod.DELETION:
        if not step.text.strip():
            faults.add(place=place, field="text", value=step.text, expected="text")
        return
    if step.text:
        faults.add(
            place=place, field="text", value=step.text, expected="no text for a deleted step"
        )
    if step.start_s is not None:
        faults.add(
            place=place, field="start_s", value=step.start_s, expected="no times for a deleted step"
        )


def _check_event_of_step(
    step: TraceStep, kinds: dict[str, EventKind], place: str, faults: Faults
) -> None:
    if step.event_id is None:
        if step.mod in MODS_WITH_EVENT:
            faults.add(
                place=place, field="event_id", value=None, expected=f"an event for mod {step.mod}"
            )
        return
    if step.mod is Mod.UNCHANGED:
        faults.add(
            place=place, field="event_id", value=step.event_id, expected="no event for mod u"
        )
        return
    expected_kind = EventKind.CORRECTION if step.mod is Mod.CORRECTION else EventKind.MISTAKE
    if kinds.get(step.event_id) is not expected_kind:
        faults.add(
            place=place,
            field="event_id",
            value=step.event_id,
            expected=f"the id of a {expected_kind} of this trace",
        )


def _check_reference(step: TraceStep, step_count: int, place: str, faults: Faults) -> None:
    index = step.reference_index
    if index is None and step.mod is Mod.DELETION:
        expected = "the position of the step that is missing"
        faults.add(place=place, field="reference_index", value=None, expected=expected)
    if step.mod in MODS_WITHOUT_REFERENCE:
        if index is not None:
            faults.add(
                place=place,
                field="reference_index",
                value=index,
                expected=f"none for mod {step.mod}",
            )
    elif index is not None and not 0 <= index < step_count:
        faults.add(
            place=place,
            field="reference_index",
            value=index,
            expected=f"a position from 0 to {step_count - 1}",
        )
