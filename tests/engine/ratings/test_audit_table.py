"""The table of the audit page: marks, numbers, notes and the times behind a row."""

import pytest

from annotation.engine.corpus.alignment import WordKind, Words
from annotation.engine.corpus.procedure import Step, TraceStep
from annotation.engine.corpus.step_words import StepWords
from annotation.engine.corpus.timeline import PieceKind, TimedRow
from annotation.engine.ratings.audit_table import (
    AuditCell,
    EventKey,
    EventLabel,
    RowTimes,
    build_table,
    label_events,
    time_text,
)
from annotation.engine.taxonomy import EventKind, Mod

REFERENCE = tuple(
    Step(text=text, start_s=10.0 * index, end_s=10.0 * index + 8)
    for index, text in enumerate(["Boil water", "Put in the tea", "Wait", "Drink the tea"])
)
EVENTS = (
    EventKey(0, EventKind.MISTAKE),
    EventKey(1, EventKind.CORRECTION, target_index=0),
    EventKey(2, EventKind.MISTAKE),
)


def row(mod, text, reference=None, event=None, start_s=None):
    end_s = None if start_s is None else start_s + 4
    return TraceStep(
        mod=mod, text=text, reference_index=reference, event_id=event, start_s=start_s, end_s=end_s
    )


TRACE = (
    row(Mod.ERROR, "Boil milk", 0, "0", start_s=0.0),
    row(Mod.CORRECTION, "Pour it away", None, "1", start_s=5.0),
    row(Mod.CASCADE, "Put in the leaves", 1, "0", start_s=10.0),
    row(Mod.DELETION, "", 2, "2"),
    row(Mod.UNCHANGED, "Drink the tea", 3, start_s=20.0),
)


def test_label_events_counts_each_kind_and_names_what_is_corrected():
    labels = label_events(EVENTS)

    assert list(labels) == [
        EventLabel(0, EventKind.MISTAKE, 1),
        EventLabel(1, EventKind.CORRECTION, 1, target="Mistake 1"),
        EventLabel(2, EventKind.MISTAKE, 2),
    ]
    assert [event.name for event in labels] == ["Mistake 1", "Correction 1", "Mistake 2"]


def test_table_counts_events_in_the_order_in_which_they_are_met():
    trace = (
        row(Mod.UNCHANGED, "Boil water", 0),
        row(Mod.UNCHANGED, "Put in the tea", 1),
        row(Mod.ERROR, "Drink the water", 3, "0"),
        row(Mod.DELETION, "", 2, "2"),
    )

    labels = build_table(REFERENCE, trace, EVENTS).events

    assert [(event.name, event.index) for event in labels] == [
        ("Mistake 1", 2),
        ("Mistake 2", 0),
        ("Correction 1", 1),
    ]


def test_table_marks_each_row_by_hue_and_words():
    table = build_table(REFERENCE, TRACE, EVENTS)

    assert [(item.mark, item.mark_text, item.event_index) for item in table.rows] == [
        (PieceKind.MISTAKE, "Mistake 1", 0),
        (PieceKind.CORRECTION, "Correction 1", 1),
        (PieceKind.CASCADE, "follows mistake 1", 0),
        (PieceKind.MISTAKE, "Mistake 2", 2),
        (PieceKind.STEP, "", None),
    ]


def test_table_cells_carry_own_numbers_words_and_times():
    table = build_table(REFERENCE, TRACE, EVENTS, StepWords.WORDS)
    first, added, _, missing, last = table.rows

    assert first.reference == AuditCell(
        1, (Words("Boil ", WordKind.SAME), Words("water", WordKind.REMOVED)), "0:00–0:08"
    )
    assert first.trace == AuditCell(
        1, (Words("Boil ", WordKind.SAME), Words("milk", WordKind.ADDED)), "0:00–0:04"
    )
    assert (added.reference, added.reference_note) == (None, "not in the reference")
    assert missing.trace is not None
    assert (missing.trace.is_missing, missing.trace_note) == (True, "step missing")
    # A missing step takes no number: the last one is the fourth that was done.
    assert last.trace == AuditCell(4, (Words("Drink the tea", WordKind.SAME),), "0:20–0:24")


@pytest.mark.parametrize(
    ("step_words", "stands_as", "done_as"),
    [(StepWords.WORDS, "step {}", "done as step {}"), (StepWords.ARROWS, "{} →", "→ {}")],
)
def test_table_notes_lead_to_the_other_place_of_a_moved_step(step_words, stands_as, done_as):
    trace = [
        row(Mod.MOVED_SOURCE, "Wait", 2, "0"),
        row(Mod.UNCHANGED, "Put in the tea", 1),
        row(Mod.MOVED_TARGET, "Boil water", 0, "0"),
        row(Mod.UNCHANGED, "Drink the tea", 3),
    ]

    rows = build_table(REFERENCE, trace, EVENTS, step_words).rows

    assert [(item.reference_note, item.trace_note) for item in rows] == [
        (stands_as.format(3), ""),
        ("", done_as.format(3)),
        ("", ""),
        (stands_as.format(1), ""),
        ("", done_as.format(1)),
        ("", ""),
    ]


def test_table_of_a_step_done_again_says_which():
    trace = [row(Mod.UNCHANGED, step.text, index) for index, step in enumerate(REFERENCE)]

    again = [*trace, row(Mod.UNCHANGED, "Wait", 2)]
    rows = build_table(REFERENCE, again, (), StepWords.WORDS).rows

    assert rows[-1].reference_note == "step 3 once more"
    assert rows[-1].reference_echo == (Words("Wait", WordKind.SAME),)


def test_table_repeats_the_reference_of_a_moved_step_with_its_differing_words():
    trace = [
        row(Mod.ERROR, "Drink the milk", 3, "0"),
        *(row(Mod.UNCHANGED, REFERENCE[index].text, index) for index in (0, 1, 2)),
    ]

    moved = build_table(REFERENCE, trace, EVENTS, StepWords.WORDS).rows[0]

    assert moved.reference_note == "step 4"
    assert moved.reference_echo == (
        Words("Drink the ", WordKind.SAME),
        Words("tea", WordKind.REMOVED),
    )
    assert moved.trace is not None
    assert moved.trace.words[-1] == Words("milk", WordKind.ADDED)


def test_table_times_give_an_empty_side_the_matching_moment():
    table = build_table(REFERENCE, TRACE, EVENTS)

    assert table.clock == (
        (0.0, 0.0),
        (4.0, 8.0),
        (10.0, 10.0),
        (14.0, 18.0),
        (20.0, 30.0),
        (24.0, 38.0),
    )
    # The correction starts a sixth of the way between the two matched steps around it.
    assert table.times[1] == RowTimes(pytest.approx(8 + 2 / 6), None, 5.0, 9.0)
    assert table.times[3] == RowTimes(20.0, 28.0, pytest.approx(15.0), None)


def test_table_without_times_has_no_clock_and_no_times():
    reference = [Step(text="Wait")]

    table = build_table(reference, [row(Mod.UNCHANGED, "Wait", 0)], ())

    assert table.clock == ()
    assert table.times == (RowTimes(None, None, None, None),)
    assert table.rows[0].trace == AuditCell(1, (Words("Wait", WordKind.SAME),), "")


@pytest.mark.parametrize(
    ("step_words", "missing"),
    [
        (StepWords.WORDS, "Mistake 2, step missing: Wait"),
        (StepWords.ARROWS, "Mistake 2: Wait → –"),
    ],
)
def test_table_strips_name_events_and_mark_the_missing_step(step_words, missing):
    table = build_table(REFERENCE, TRACE, EVENTS, step_words)

    assert table.reference_strip()[0] == TimedRow(0, 0.0, 8.0, PieceKind.STEP, "Boil water")
    assert table.trace_strip() == [
        TimedRow(0, 0.0, 4.0, PieceKind.MISTAKE, "Mistake 1: Boil milk"),
        TimedRow(1, 5.0, 9.0, PieceKind.CORRECTION, "Correction 1: Pour it away"),
        TimedRow(2, 10.0, 14.0, PieceKind.CASCADE, "follows mistake 1: Put in the leaves"),
        TimedRow(3, None, None, PieceKind.MISSING, missing),
        TimedRow(4, 20.0, 24.0, PieceKind.STEP, "Drink the tea"),
    ]


def test_a_cascade_edit_of_no_known_mistake_is_a_follow_up():
    (only,) = build_table([], [row(Mod.CASCADE, "Sit")], ()).rows

    assert (only.mark, only.mark_text, only.event_index) == (PieceKind.CASCADE, "follow-up", None)


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0, "0:00"), (59.9, "0:59"), (60, "1:00"), (3599, "59:59"), (3600, "1:00:00")],
)
def test_time_text_is_read_as_a_clock(seconds, text):
    assert time_text(seconds) == text


def test_without_words_an_empty_side_stays_empty_and_waits_without_a_reason():
    table = build_table(REFERENCE, TRACE, EVENTS, StepWords.ARROWS)
    sections = table.sections(reference_duration_s=40, trace_duration_s=30)

    assert [(item.reference_note, item.trace_note) for item in table.rows] == [("", "")] * 5
    assert {table.waiting_note(section) for section in sections} == {""}


def test_words_are_marked_only_where_most_of_them_stand_on_both_sides():
    reference = [Step("Pour the milk into the cup"), Step("Put the lid on the green pan")]
    trace = [
        row(Mod.ERROR, "Pour the milk into the glass", 0, "0"),
        row(Mod.ERROR, "The lid of that pan is put on the table again", 1, "2"),
    ]

    rows = build_table(reference, trace, EVENTS).rows

    assert [[run.kind for run in item.trace.words] for item in rows] == [
        [WordKind.SAME, WordKind.ADDED],
        [WordKind.SAME],
    ]


def test_a_marked_step_with_the_words_of_the_reference_stands_as_moved():
    """An order error says nothing but its place, so the place must show it."""
    trace = [
        row(Mod.UNCHANGED, "Boil water", 0),
        row(Mod.ERROR, "Wait", 2, "0"),
        row(Mod.UNCHANGED, "Put in the tea", 1),
        row(Mod.UNCHANGED, "Drink the tea", 3),
    ]

    rows = build_table(REFERENCE, trace, EVENTS).rows

    assert [(item.mark_text, item.reference_note, item.trace_note) for item in rows] == [
        ("", "", ""),
        ("Mistake 1", "3 →", ""),
        ("", "", ""),
        ("", "", "→ 2"),
        ("", "", ""),
    ]
