import pytest

from annotation.engine.corpus.formats.native_labels import (
    ASSEMBLY101_PROPOSALS,
    CAPTAINCOOK4D_PROPOSALS,
    EGOOOPS_PROPOSALS,
    EGOPER_PROPOSALS,
    Derived,
    EventNumbering,
    counting_labels,
    mod_of,
    propose_type,
)
from annotation.engine.corpus.procedure import Event, NativeLabel
from annotation.engine.taxonomy import EventKind, Mod, TaxonomyLabel

MISPICK = "grasping wrong objects and releasing them without using"


def _native(*names):
    return [NativeLabel(name) for name in names]


def _derived(*names):
    return [NativeLabel(name.value, is_derived=True) for name in names]


@pytest.mark.parametrize(
    ("table", "name", "proposed"),
    [
        (EGOOOPS_PROPOSALS, "working with wrong objects", None),
        (EGOOOPS_PROPOSALS, MISPICK, "I"),
        (EGOOOPS_PROPOSALS, "correction of mistake actions", "C"),
        (EGOOOPS_PROPOSALS, "unintended actions", None),
        (EGOOOPS_PROPOSALS, "working in the wrong way or moving", "WE"),
        (EGOOOPS_PROPOSALS, "others", None),
        (CAPTAINCOOK4D_PROPOSALS, "Missing Step", "D"),
        (CAPTAINCOOK4D_PROPOSALS, "Order Error", "T"),
        (CAPTAINCOOK4D_PROPOSALS, "Technique Error", "WE"),
        (CAPTAINCOOK4D_PROPOSALS, "Measurement Error", "WE"),
        (CAPTAINCOOK4D_PROPOSALS, "Timing Error", "WE"),
        (CAPTAINCOOK4D_PROPOSALS, "Temperature Error", "WE"),
        (CAPTAINCOOK4D_PROPOSALS, "Preparation Error", None),
        (CAPTAINCOOK4D_PROPOSALS, "Other", None),
        (ASSEMBLY101_PROPOSALS, "wrong order", "T"),
        (ASSEMBLY101_PROPOSALS, "previous one is a mistake", None),
        (ASSEMBLY101_PROPOSALS, "shouldn't have happened", "I"),
        (ASSEMBLY101_PROPOSALS, "wrong position", "WE"),
        (ASSEMBLY101_PROPOSALS, "correction", "C"),
        (EGOPER_PROPOSALS, "Error_Modification", None),
        (EGOPER_PROPOSALS, "Error_Slip", "WE"),
        (EGOPER_PROPOSALS, "Error_Correction", "C"),
        (EGOPER_PROPOSALS, "Error_Addition", "I"),
        (EGOPER_PROPOSALS, "omission", "D"),
        (EGOPER_PROPOSALS, "never heard of", None),
    ],
)
def test_propose_type_follows_the_published_votes(table, name, proposed):
    assert propose_type(_native(name), table) == proposed


@pytest.mark.parametrize(
    ("labels", "proposed"),
    [
        (_native("Technique Error", "Timing Error"), "WE"),
        (_native("Order Error", "Order Error"), "T"),
        (_native("Order Error", "Technique Error"), None),
        (_native("Technique Error", "Other"), None),
        (_native("Technique Error") + _derived(Derived.PAUSE_AND_RESUME), "WE"),
        (_native("Technique Error") + _derived(Derived.UNDEFINED_STEP), "WE"),
        (_native("Technique Error") + _derived(Derived.OUT_OF_ORDER), None),
        (_derived(Derived.OUT_OF_ORDER, Derived.PAUSE_AND_RESUME), "T"),
        (_derived(Derived.MISSING), "D"),
        ([], None),
    ],
)
def test_several_labels_propose_a_type_only_if_all_agree(labels, proposed):
    assert propose_type(labels, CAPTAINCOOK4D_PROPOSALS) == proposed


def test_flags_do_not_count_but_a_native_label_of_that_name_does():
    flags = _derived(Derived.PAUSE_AND_RESUME, Derived.UNDEFINED_STEP)

    assert counting_labels(flags) == []
    assert counting_labels(_native("undefined_step")) == _native("undefined_step")


def test_numbering_counts_mistakes_and_corrections_apart():
    numbering = EventNumbering()

    for proposed in (TaxonomyLabel.DELETION, TaxonomyLabel.CORRECTION, None):
        numbering.add(proposed)

    assert numbering.events == [
        Event("E01", EventKind.MISTAKE, TaxonomyLabel.DELETION),
        Event("C01", EventKind.CORRECTION, TaxonomyLabel.CORRECTION),
        Event("E02", EventKind.MISTAKE, None),
    ]


def test_mod_follows_from_event_and_reference():
    mistake = Event("E01", EventKind.MISTAKE)
    correction = Event("C01", EventKind.CORRECTION)

    assert [mod_of(None, 0), mod_of(None, None)] == [Mod.UNCHANGED, Mod.UNCHANGED]
    assert [mod_of(mistake, 0), mod_of(mistake, None)] == [Mod.ERROR, Mod.INSERTION]
    assert [mod_of(correction, 0), mod_of(correction, None)] == [Mod.CORRECTION, Mod.CORRECTION]
