"""What must hold between the parts of a file in PIE-V's own format, whatever the order in it."""

from collections.abc import Set

from annotation.engine.formats.reading import Faults, note_repeats
from annotation.engine.procedure import Event, Reading, TraceStep
from annotation.engine.taxonomy import (
    MODS_WITH_EVENT,
    MODS_WITHOUT_REFERENCE,
    ErrorType,
    EventKind,
    Mod,
    TaxonomyLabel,
)

# What must not be so, and the field, its value and what was expected where it is.
Rule = tuple[bool, str, object, str]


def check_reading(reading: Reading, faults: Faults) -> None:
    """Note every broken reference, range and rule of `Mod` in a reading of well-typed values."""
    takes, traces = reading.takes, reading.traces
    note_repeats(((take.uid, f"takes[{n}]") for n, take in enumerate(takes)), faults, "uid")
    note_repeats(((trace.uid, f"traces[{n}]") for n, trace in enumerate(traces)), faults, "uid")
    graphs = ((graph.scenario, f"task_graphs[{n}]") for n, graph in enumerate(reading.task_graphs))
    note_repeats(graphs, faults, "scenario")
    for number, take in enumerate(takes):
        _note((not take.steps, "steps", [], "at least one step"), f"takes[{number}]", faults)
    step_counts = {take.uid: len(take.steps) for take in takes}
    for number, trace in enumerate(traces):
        place = f"traces[{number}]"
        step_count = step_counts.get(trace.take_uid)
        _note(
            (step_count is None, "take_uid", trace.take_uid, "the uid of a take here"),
            place,
            faults,
        )
        _note((not trace.steps, "steps", [], "at least one step"), place, faults)
        numbered = [(event, f"{place}.events[{n}]") for n, event in enumerate(trace.events)]
        note_repeats(((event.event_id, where) for event, where in numbered), faults, "event_id")
        mistakes = {item.event_id for item in trace.events if item.kind is EventKind.MISTAKE}
        realised = {step.event_id for step in trace.steps if step.mod in MODS_WITH_EVENT}
        for event, where in numbered:
            for rule in _rules_of_event(event, mistakes, realised):
                _note(rule, where, faults)
        kinds = {event.event_id: event.kind for event in trace.events}
        for n, step in enumerate(trace.steps):
            for rule in _rules_of_step(step, kinds, step_count):
                _note(rule, f"{place}.steps[{n}]", faults)


def _note(rule: Rule, place: str, faults: Faults) -> None:
    is_broken, field, value, expected = rule
    if is_broken:
        faults.add(place=place, field=field, value=value, expected=expected)


def _rules_of_event(event: Event, mistakes: Set[str], realised: Set[str | None]) -> list[Rule]:
    target, proposed = event.target_event_id, event.proposed_type
    is_correction = event.kind is EventKind.CORRECTION
    types = "C" if is_correction else f"one of {', '.join(ErrorType.known())}"
    return [
        (
            event.event_id not in realised,
            "event_id",
            event.event_id,
            "an event that a step of this trace names",
        ),
        (
            target is not None and target not in mistakes,
            "target_event_id",
            target,
            "the id of a mistake of this trace",
        ),
        (
            target is not None and not is_correction,
            "target_event_id",
            target,
            "nothing: only a correction has a target",
        ),
        (
            proposed is not None and is_correction != (proposed is TaxonomyLabel.CORRECTION),
            "proposed_type",
            str(proposed),
            f"{types} for a {event.kind}",
        ),
    ]


def _rules_of_step(
    step: TraceStep, kinds: dict[str, EventKind], step_count: int | None
) -> list[Rule]:
    """The rules of a row; its place in the take only where `step_count` says how long that is."""
    mod, event_id, index = step.mod, step.event_id, step.reference_index
    is_deleted, is_foreign = mod is Mod.DELETION, mod in MODS_WITHOUT_REFERENCE
    kind = EventKind.CORRECTION if mod is Mod.CORRECTION else EventKind.MISTAKE
    is_other_kind = event_id is not None and kinds.get(event_id) is not kind
    rules: list[Rule] = [
        (not is_deleted and not step.text.strip(), "text", step.text, "text"),
        (is_deleted and step.text != "", "text", step.text, "no text for a deleted step"),
        (
            is_deleted and step.start_s is not None,
            "start_s",
            step.start_s,
            "no times for a deleted step",
        ),
        (
            event_id is None and mod in MODS_WITH_EVENT,
            "event_id",
            None,
            f"an event for mod {mod}",
        ),
        (
            event_id is not None and mod is Mod.UNCHANGED,
            "event_id",
            event_id,
            "no event for mod u",
        ),
        (
            is_other_kind and mod is not Mod.UNCHANGED,
            "event_id",
            event_id,
            f"the id of a {kind} of this trace",
        ),
    ]
    if step_count is not None:
        is_outside = index is not None and not 0 <= index < step_count
        field = "reference_index"
        rules += [
            (index is None and is_deleted, field, None, "the position of the step that is missing"),
            (index is not None and is_foreign, field, index, f"none for mod {mod}"),
            (is_outside and not is_foreign, field, index, f"a position from 0 to {step_count - 1}"),
        ]
    return rules
