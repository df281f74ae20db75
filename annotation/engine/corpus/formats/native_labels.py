"""From the labels that a data set gives a step to the type that PIE-V proposes to a rater.

A label maps to one of the six types of Taxonomy Fit, or to a person's choice where the human
votes on the same items are split (`UNDECIDED`). The table was made from the majority of PIE-V's
published Taxonomy Fit votes on EgoOops, CaptainCook4D and Assembly101 items and, where nobody
voted, from the definitions of the five types (PIE-V, section 3.1).
"""

from collections.abc import Iterable, Mapping
from enum import StrEnum

from annotation.engine.corpus.procedure import Event, NativeLabel
from annotation.engine.taxonomy import EventKind, EventType, Mod, TaxonomyLabel


class Derived(StrEnum):
    """Labels that a stated rule derives from the order of the steps."""

    MISSING = "missing"
    OUT_OF_ORDER = "out_of_order"
    PAUSE_AND_RESUME = "pause_and_resume"
    UNDEFINED_STEP = "undefined_step"


# A label that the votes do not settle: the rater sees no proposal.
UNDECIDED = None

# Derived labels that describe a step without calling it a mistake by themselves.
FLAGS = frozenset({Derived.PAUSE_AND_RESUME, Derived.UNDEFINED_STEP})

ORDER_PROPOSALS: Mapping[str, TaxonomyLabel | None] = {
    Derived.MISSING: TaxonomyLabel.DELETION,
    Derived.OUT_OF_ORDER: TaxonomyLabel.TRANSPOSITION,
}

EGOOOPS_PROPOSALS: Mapping[str, TaxonomyLabel | None] = {
    # Wrong execution by 14 of 20 votes, substitution by definition.
    "working with wrong objects": UNDECIDED,
    "grasping wrong objects and releasing them without using": TaxonomyLabel.INSERTION,
    "correction of mistake actions": TaxonomyLabel.CORRECTION,
    "unintended actions": UNDECIDED,
    "working in the wrong way or moving": TaxonomyLabel.WRONG_EXECUTION,
    "others": UNDECIDED,
}

CAPTAINCOOK4D_PROPOSALS: Mapping[str, TaxonomyLabel | None] = {
    "Missing Step": TaxonomyLabel.DELETION,
    "Order Error": TaxonomyLabel.TRANSPOSITION,
    "Technique Error": TaxonomyLabel.WRONG_EXECUTION,
    "Measurement Error": TaxonomyLabel.WRONG_EXECUTION,
    "Timing Error": TaxonomyLabel.WRONG_EXECUTION,
    "Temperature Error": TaxonomyLabel.WRONG_EXECUTION,
    "Preparation Error": UNDECIDED,
    "Other": UNDECIDED,
}

ASSEMBLY101_PROPOSALS: Mapping[str, TaxonomyLabel | None] = {
    "wrong order": TaxonomyLabel.TRANSPOSITION,
    # The eight-class taxonomy says wrong order, PIE-V's raters said insertion (9 of 10).
    "previous one is a mistake": UNDECIDED,
    "shouldn't have happened": TaxonomyLabel.INSERTION,
    "wrong position": TaxonomyLabel.WRONG_EXECUTION,
    "correction": TaxonomyLabel.CORRECTION,
}

EGOPER_PROPOSALS: Mapping[str, TaxonomyLabel | None] = {
    "Error_Modification": UNDECIDED,
    "Error_Slip": TaxonomyLabel.WRONG_EXECUTION,
    "Error_Correction": TaxonomyLabel.CORRECTION,
    "Error_Addition": TaxonomyLabel.INSERTION,
    "omission": TaxonomyLabel.DELETION,
}


def counting_labels(labels: Iterable[NativeLabel]) -> list[NativeLabel]:
    """The labels that make a step an event: all but the flags."""
    return [label for label in labels if not (label.is_derived and label.name in FLAGS)]


def propose_type(
    labels: Iterable[NativeLabel], proposals: Mapping[str, EventType | None]
) -> EventType | None:
    """The one type that all counting labels map to, else None: a person decides."""
    table: dict[str, EventType | None] = {**proposals, **ORDER_PROPOSALS}
    proposed = {table.get(label.name, UNDECIDED) for label in counting_labels(labels)}
    return proposed.pop() if len(proposed) == 1 else None


class EventNumbering:
    """Make the events of one trace: `E01`, `E02`... for mistakes, `C01`... for corrections."""

    def __init__(self) -> None:
        self.events: list[Event] = []
        self._mistake_count = 0
        self._correction_count = 0

    def add(self, proposed_type: EventType | None) -> Event:
        """The next event; it is a correction exactly when that is its type."""
        if proposed_type is TaxonomyLabel.CORRECTION:
            self._correction_count += 1
            event_id, kind = f"C{self._correction_count:02d}", EventKind.CORRECTION
        else:
            self._mistake_count += 1
            event_id, kind = f"E{self._mistake_count:02d}", EventKind.MISTAKE
        event = Event(event_id=event_id, kind=kind, proposed_type=proposed_type)
        self.events.append(event)
        return event


def mod_of(event: Event | None, reference_index: int | None) -> Mod:
    """What a performed step is: corrected, foreign to the reference, erroneous or plain."""
    if event is None:
        return Mod.UNCHANGED
    if event.kind is EventKind.CORRECTION:
        return Mod.CORRECTION
    return Mod.INSERTION if reference_index is None else Mod.ERROR
