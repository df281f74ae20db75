"""The eight classes of mistakes in which EgoErrorVQA asks, and what labels of data sets mean there.

Source: EgoErrorVQA, 4.1 and appendix B; the mapping of native labels is that of its public files. A
correction is acceptable behaviour, yet one of the eight. A step may have several classes.
"""

from collections.abc import Iterable, Mapping

from annotation.engine.corpus.formats.assembly101 import REMARKS
from annotation.engine.corpus.procedure import Event, NativeLabel, Step, TraceStep
from annotation.engine.taxonomy import ErrorType, EventKind, TaxonomyLabel
from benchmarks.engine.material import Material, Recording, is_mistake
from generation.engine.english.actions import actions_of

CORRECT = "correct"
WRONG_OBJECT = "Wrong object"
WRONG_ACTION = "Wrong action"
WRONG_ORDER = "Wrong order"
OMISSION = "Omission"
UNINTENDED = "Unintended and unnecessary action"
CORRECTION = "Correct wrong action"
EQUIPMENT_FAILURE = "Equipment failure"
OTHERS = "Others"
DEFINITIONS: Mapping[str, str] = {
    WRONG_OBJECT: "the step is done with a thing, tool or ingredient that it does not ask for, such"
    " as salt where the procedure has sugar",
    WRONG_ACTION: "the right thing is used, but what is done with it is wrong: the movement, the"
    " amount, the time, the temperature or the place",
    WRONG_ORDER: "the step is done too early or too late with respect to others",
    OMISSION: "the step is left out",
    UNINTENDED: "something is done that no step asks for, such as taking a thing up and putting it"
    " down unused, or doing a step once more",
    CORRECTION: "an earlier mistake is put right",
    EQUIPMENT_FAILURE: "a tool or a part breaks or does not work, whatever the person does",
    OTHERS: "a mistake of none of these kinds, such as being very slow",
}
CLASSES = tuple(DEFINITIONS)
# The answers, with that of a step without a mistake first.
OPTIONS = (CORRECT, *CLASSES)

NATIVE: Mapping[str, Mapping[str, str]] = {
    "captaincook4d": {
        "Missing Step": OMISSION,
        "Order Error": WRONG_ORDER,
        "Technique Error": WRONG_ACTION,
        "Measurement Error": WRONG_ACTION,
        "Timing Error": WRONG_ACTION,
        "Temperature Error": WRONG_ACTION,
        "Preparation Error": WRONG_OBJECT,
        "Other": OTHERS,
    },
    "egooops": {
        "working with wrong objects": WRONG_OBJECT,
        "grasping wrong objects and releasing them without using": UNINTENDED,
        "unintended actions": UNINTENDED,
        "working in the wrong way or moving": WRONG_ACTION,
        "correction of mistake actions": CORRECTION,
        "others": OTHERS,
    },
    # Motor error, misuse, order, failure, omission, search, correction, slow, repeat.
    "epic_tent": {
        "0": WRONG_ACTION,
        "1": WRONG_OBJECT,
        "2": WRONG_ORDER,
        "3": EQUIPMENT_FAILURE,
        "4": OMISSION,
        "5": UNINTENDED,
        "6": CORRECTION,
        "7": OTHERS,
        "8": UNINTENDED,
    },
    # Of a mistake the remark, in its one spelling.
    "assembly101": {
        "wrong order": WRONG_ORDER,
        "previous one is a mistake": WRONG_ORDER,
        "wrong position": WRONG_ACTION,
        "shouldn't have happened": UNINTENDED,
        "correction": CORRECTION,
    },
}
OF_TYPE: Mapping[str, str] = {
    ErrorType.DELETION: OMISSION,
    ErrorType.INSERTION: UNINTENDED,
    ErrorType.TRANSPOSITION: WRONG_ORDER,
    ErrorType.WRONG_EXECUTION: WRONG_ACTION,
    TaxonomyLabel.CORRECTION: CORRECTION,
}


class UnknownLabelError(ValueError):
    """A label or a mark that no class stands for."""


def classes_of_labels(source: str, labels: Iterable[NativeLabel]) -> tuple[str, ...]:
    """The classes of a step by its native labels, sorted, or `correct` where it has none.

    Raises UnknownLabelError.

    >>> classes_of_labels("assembly101", [NativeLabel("mistake", "worng order")])
    ('Wrong order',)
    """
    table, labels = NATIVE[source], list(labels)
    remarks = [label.name for label in labels if label.is_derived]
    found = set()
    for label in labels:
        name = label.name
        if label.is_derived or (source == "assembly101" and name == CORRECT):
            continue
        if source == "assembly101" and name == "mistake":
            name = remarks[0] if remarks else REMARKS.get(label.note, label.note)
        if name not in table:
            expected = ", ".join(table)
            raise UnknownLabelError(f"label {name!r} of {source}; expected one of {expected}")
        found.add(table[name])
    return tuple(sorted(found)) or (CORRECT,)


def classes_of_row(
    material: Material, recording: Recording, place: int, events: Mapping[str, Event]
) -> tuple[str, ...]:
    """The classes of a row of a recording: by native labels where we have a table, else by marks.

    `events` are those of the recording. Raises UnknownLabelError naming data set, recording, row.
    """
    row = recording.rows[place]
    if isinstance(row, Step):
        return (CORRECT,)
    source = material.source_of(recording) or material.format
    try:
        if source in NATIVE:
            return classes_of_labels(source, row.labels)
        return (_class_of_mark(row, recording.words_of(row), events.get(row.event_id or "")),)
    except UnknownLabelError as error:
        where = f"{material.name}, recording {recording.uid}, row {place + 1}"
        raise UnknownLabelError(f"{where}: {error}") from error


def _class_of_mark(row: TraceStep, written: str, event: Event | None) -> str:
    """The class of a row by PIE-V's own mark; a step that only follows from a mistake is right."""
    is_correction = event is not None and event.kind is EventKind.CORRECTION
    if event is None or not (is_correction or is_mistake(row)):
        return CORRECT
    kind = TaxonomyLabel.CORRECTION if is_correction else event.proposed_type
    if kind == ErrorType.SUBSTITUTION:
        return WRONG_OBJECT if is_other_thing(row.text, written) else WRONG_ACTION
    if kind is None or kind not in OF_TYPE:
        known = ", ".join((ErrorType.SUBSTITUTION, *OF_TYPE))
        raise UnknownLabelError(f"type {str(kind or '')!r} of its event; expected one of {known}")
    return OF_TYPE[kind]


def is_other_thing(done: str, written: str) -> bool:
    """Whether two texts have the same actions on other things.

    >>> is_other_thing("Add salt to the bowl", "Add sugar to the bowl")
    True
    >>> is_other_thing("Wash the bowl", "Add sugar to the bowl")
    False
    """
    ours, theirs = (actions_of(text).actions for text in (done, written))
    have_same_actions = [one.predicate for one in ours] == [one.predicate for one in theirs]
    have_same_things = [one.mentioned for one in ours] == [one.mentioned for one in theirs]
    return bool(ours) and have_same_actions and not have_same_things
