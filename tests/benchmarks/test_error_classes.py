"""Classes of mistakes: the labels of the published data sets, and PIE-V's own marks."""

from collections import Counter
from dataclasses import replace

import pytest

from annotation.engine.corpus.procedure import Event, NativeLabel, Step, Take, Trace
from annotation.engine.taxonomy import EventKind, Mod, TaxonomyLabel
from benchmarks.engine.error_classes import (
    CLASSES,
    NATIVE,
    UnknownLabelError,
    classes_of_labels,
    classes_of_row,
)
from benchmarks.engine.material import Material, Recording
from tests.benchmarks.tasks.material import TEA, published_material, row, sample_material


def classes_of(material):
    """The classes of every row of every recording."""
    return [
        classes_of_row(material, recording, place, events)
        for recording in material.recordings
        for events in [{e.event_id: e for e in recording.trace.events} if recording.trace else {}]
        for place in range(len(recording.rows))
    ]


@pytest.mark.shared_data
@pytest.mark.parametrize(
    ("name", "mentions"),
    [
        (
            "egooops",
            {
                "Unintended and unnecessary action": 35, "Wrong object": 20, "Wrong action": 21,
                "Others": 12, "Correct wrong action": 7,
            },
        ),
        (
            "captaincook4d",
            {
                "Wrong order": 794, "Wrong object": 394, "Omission": 285, "Others": 8,
                "Wrong action": 999,
            },
        ),
        (
            "assembly101",
            {
                "Unintended and unnecessary action": 377, "Correct wrong action": 330,
                "Wrong order": 222, "Wrong action": 108,
            },
        ),
    ],
)  # fmt: skip
def test_every_label_of_a_published_data_set_has_a_class(shared_data, name, mentions):
    """A class that a row has by two labels, or by one label twice, is counted once."""
    found = classes_of(published_material(shared_data, name))

    assert all(row == tuple(sorted(set(row))) for row in found)
    assert Counter(name for row in found for name in row if name != "correct") == mentions


def test_table_names_only_the_classes_and_a_step_may_have_several():
    assert {name for table in NATIVE.values() for name in table.values()} == set(CLASSES)
    labels = [
        NativeLabel("Order Error"),
        NativeLabel("Timing Error"),
        NativeLabel("Measurement Error"),
    ]

    assert classes_of_labels("captaincook4d", labels) == ("Wrong action", "Wrong order")
    assert classes_of_labels("epic_tent", [NativeLabel("3")]) == ("Equipment failure",)
    assert classes_of_labels("egooops", [NativeLabel("missing", is_derived=True)]) == ("correct",)


def test_label_that_the_table_lacks_is_named_with_data_set_recording_and_row():
    [recording] = TEA.recordings
    rows = list(recording.trace.steps)
    rows[2] = replace(rows[2], labels=(NativeLabel("Spilled"),))
    trace = replace(recording.trace, steps=tuple(rows))
    material = Material("Tea", (replace(recording, trace=trace),), {"format": "captaincook4d"})

    with pytest.raises(UnknownLabelError) as refused:
        classes_of(material)

    assert str(refused.value).startswith(
        "Tea, recording tea-a, row 3: label 'Spilled' of captaincook4d; expected one of Missing"
    )


def test_marks_of_pie_v_have_a_class_each():
    assert classes_of(TEA) == [
        ("correct",), ("Omission",), ("Wrong object",), ("Correct wrong action",), ("correct",),
    ]  # fmt: skip
    assert len(set(classes_of(sample_material()))) > 4


@pytest.mark.parametrize(
    ("done", "kind", "mod", "expected"),
    [
        ("Add coffee", TaxonomyLabel.SUBSTITUTION, Mod.ERROR, "Wrong object"),
        ("Wash the cup", TaxonomyLabel.SUBSTITUTION, Mod.ERROR, "Wrong action"),
        ("Add tea slowly", TaxonomyLabel.WRONG_EXECUTION, Mod.ERROR, "Wrong action"),
        ("Add tea", TaxonomyLabel.TRANSPOSITION, Mod.MOVED_TARGET, "Wrong order"),
        ("Sing", TaxonomyLabel.INSERTION, Mod.INSERTION, "Unintended and unnecessary action"),
        ("Add tea", TaxonomyLabel.INSERTION, Mod.CASCADE, "correct"),
    ],
)
def test_substitution_is_of_a_thing_or_of_the_action(done, kind, mod, expected):
    take = Take("t", "t", "Tea", (Step("Add tea"),))
    place = None if mod is Mod.INSERTION else 0
    event = Event("E1", EventKind.MISTAKE, kind)
    trace = Trace("a", "a", "t", (row(mod, done, place, event="E1"),), (event,))
    material = Material("Tea", (Recording("trace:a", take, trace),))

    assert classes_of(material) == [(expected,)]


def test_event_without_a_type_is_refused():
    [recording] = TEA.recordings
    events = tuple(replace(event, proposed_type=None) for event in recording.trace.events)
    material = replace(
        TEA, recordings=(replace(recording, trace=replace(recording.trace, events=events)),)
    )

    with pytest.raises(UnknownLabelError, match="Tea, recording tea-a, row 2: type ''"):
        classes_of(material)
