"""What stands at the head of an event: both sides, quoted, and never what kind of change it is."""

import pytest

from annotation.engine.corpus.procedure import Step, TraceStep
from annotation.engine.corpus.step_words import StepWords
from annotation.engine.ratings.audit_table import EventKey, build_table
from annotation.engine.ratings.event_headings import heading
from annotation.engine.taxonomy import EventKind, Mod

TEXTS = ("Boil water", "Grind the coffee", "Add ground coffee", "Add salt", "Stir", "Pour")
REFERENCE = tuple(Step(text) for text in TEXTS)


def row(mod, text, reference=None, event=None):
    return TraceStep(mod=mod, text=text, reference_index=reference, event_id=event)


def plain(*numbers):
    return [row(Mod.UNCHANGED, TEXTS[number], number) for number in numbers]


MISTAKE = (EventKey(0, EventKind.MISTAKE),)


def headings(trace, events=MISTAKE, step_words=StepWords.ARROWS):
    table = build_table(REFERENCE, trace, events, step_words)
    return [heading(table, event) for event in table.events]


CHANGED = [*plain(0, 1), row(Mod.ERROR, "Add cocoa powder", 2, "0"), *plain(3, 4, 5)]
LEFT_OUT = [*plain(0, 1, 2), row(Mod.DELETION, "", 3, "0"), *plain(4, 5)]
ADDED = [*plain(0, 1, 2, 3, 4), row(Mod.INSERTION, "Stir again", None, "0"), *plain(5)]
SWAPPED = [
    *plain(0, 1, 2),
    row(Mod.MOVED_SOURCE, "Stir", 4, "0"),
    row(Mod.MOVED_TARGET, "Add salt", 3, "0"),
    *plain(5),
]
EARLY = [row(Mod.ERROR, "Stir", 4, "0"), *plain(0, 1, 2, 3, 5)]


@pytest.mark.parametrize(
    ("trace", "expected"),
    [
        (CHANGED, "3 ground coffee → cocoa powder"),
        (LEFT_OUT, "4 Add salt → –"),
        (ADDED, "– → Stir again"),
        (SWAPPED, "4, 5 → 5, 4: “Stir”, “Add salt”"),
        (EARLY, "1–5 → 5, 1–4: “Stir”"),
        ([*plain(0), row(Mod.ERROR, "Wash every cup twice", 1, "0")],
         "2 Grind the coffee → Wash every cup twice"),
        ([*plain(0), row(Mod.ERROR, "Grind the coffee", 1, "0")],
         "2 Grind the coffee → Grind the coffee"),
        ([*plain(0, 1, 2, 3, 4, 5), row(Mod.INSERTION, "Stir", 4, "0")], "– → Stir"),
        (plain(0), "its steps are not in the table"),
    ],
)  # fmt: skip
def test_heading_shows_both_sides(trace, expected):
    assert headings(trace) == [expected]


def test_heading_of_a_correction_names_the_mistake_that_it_repairs():
    events = (EventKey(0, EventKind.MISTAKE), EventKey(1, EventKind.CORRECTION, target_index=0))
    trace = [*ADDED, row(Mod.CORRECTION, "Pour it away", None, "1")]

    assert headings(trace, events) == [
        "– → Stir again",
        "Corrects mistake 1: – → Pour it away",
    ]


def test_heading_of_many_rows_quotes_three():
    trace = [row(Mod.ERROR, f"{text} twice", at, "0") for at, text in enumerate(TEXTS)]

    (text,) = headings(trace)

    assert text == (
        "1 Boil water → Boil water twice; 2 Grind the coffee → Grind the coffee twice;"
        " 3 Add ground coffee → Add ground coffee twice; and 3 more below"
    )


@pytest.mark.parametrize(
    ("trace", "expected"),
    [
        (CHANGED, "Add cocoa powder"),
        (LEFT_OUT, "Step missing: Add salt"),
        (ADDED, "Stir again"),
        (plain(0), "its steps are not in the table"),
    ],
)
def test_in_words_the_heading_is_what_the_table_says(trace, expected):
    assert headings(trace, step_words=StepWords.WORDS) == [expected]
