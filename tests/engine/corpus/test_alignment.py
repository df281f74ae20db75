"""Alignment: both columns in order, every step once, and what changed is named."""

import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.engine.corpus.alignment import (
    ALIKE_SIMILARITY,
    AlignedRow,
    Relation,
    WordKind,
    Words,
    align,
    cheapest_pairs,
    word_differences,
)
from annotation.engine.corpus.procedure import Step, TraceStep
from annotation.engine.taxonomy import Mod

TEA = tuple(
    Step(text=text)
    for text in (
        "Fill the kettle with water",
        "Switch on the kettle",
        "Put a tea bag in the mug",
        "Pour the boiling water over the tea bag",
    )
)


def row(mod, text, reference=None, step_id=""):
    return TraceStep(mod=mod, text=text, reference_index=reference, step_id=step_id)


def unchanged(*indices):
    return [row(Mod.UNCHANGED, TEA[index].text, index) for index in indices]


def test_align_by_mapping_names_change_substitution_insertion_and_deletion():
    trace = [
        row(Mod.ERROR, "Fill the kettle with milk", 0),
        row(Mod.ERROR, "Wipe your spectacles", 1),
        row(Mod.INSERTION, "Open the window"),
        row(Mod.DELETION, "", 2),
        *unchanged(3),
    ]

    rows = align(TEA, trace)

    assert rows == (
        AlignedRow(0, 0, Relation.CHANGED),
        AlignedRow(1, 1, Relation.SUBSTITUTED),
        AlignedRow(None, 2, Relation.INSERTED),
        AlignedRow(2, 3, Relation.DELETED),
        AlignedRow(3, 4, Relation.SAME),
    )


def test_align_by_mapping_gives_both_places_of_a_distant_swap():
    trace = [
        row(Mod.MOVED_SOURCE, TEA[3].text, 3),
        *unchanged(1, 2),
        row(Mod.MOVED_TARGET, TEA[0].text, 0),
    ]

    rows = align(TEA, trace)

    assert rows == (
        AlignedRow(None, 0, Relation.MOVED, 3),
        AlignedRow(0, None, Relation.MOVED, 3),
        AlignedRow(1, 1, Relation.SAME),
        AlignedRow(2, 2, Relation.SAME),
        AlignedRow(None, 3, Relation.MOVED, 0),
        AlignedRow(3, None, Relation.MOVED, 0),
    )


def test_align_keeps_the_steps_between_two_swapped_ones_in_place():
    trace = [
        row(Mod.MOVED_SOURCE, TEA[2].text, 2),
        *unchanged(1),
        row(Mod.MOVED_TARGET, TEA[0].text, 0),
        *unchanged(3),
    ]

    same = [item for item in align(TEA, trace) if item.relation == Relation.SAME]

    assert same == [AlignedRow(1, 1, Relation.SAME), AlignedRow(3, 3, Relation.SAME)]


def test_align_puts_neighbours_that_changed_places_in_three_rows():
    trace = [
        *unchanged(0),
        row(Mod.MOVED_SOURCE, TEA[2].text, 2),
        row(Mod.MOVED_TARGET, TEA[1].text, 1),
        *unchanged(3),
    ]

    assert align(TEA, trace)[1:4] == (
        AlignedRow(1, None, Relation.MOVED, 2),
        AlignedRow(2, 1, Relation.SAME),
        AlignedRow(None, 2, Relation.MOVED, 1),
    )


def test_align_puts_a_deleted_row_where_its_reference_stands():
    trace = [*unchanged(0, 2, 3), row(Mod.DELETION, "", 1)]

    rows = align(TEA, trace)

    assert rows == (
        AlignedRow(0, 0, Relation.SAME),
        AlignedRow(1, 3, Relation.DELETED),
        AlignedRow(2, 1, Relation.SAME),
        AlignedRow(3, 2, Relation.SAME),
    )


def test_align_shows_a_reference_step_that_no_row_names_as_deleted():
    rows = align(TEA, unchanged(0, 1, 3))

    assert rows[2] == AlignedRow(2, None, Relation.DELETED)


def test_align_shows_a_step_done_twice_as_added_and_points_to_it():
    rows = align(TEA, unchanged(0, 1, 2, 1, 3))

    assert rows[3] == AlignedRow(None, 3, Relation.INSERTED, 1)
    assert [item.reference_index for item in rows if item.reference_index is not None] == [
        0, 1, 2, 3,
    ]  # fmt: skip


def test_align_keeps_a_deleted_row_whose_step_was_done_after_all():
    rows = align(TEA, [*unchanged(0, 1, 2, 3), row(Mod.DELETION, "", 2)])

    assert rows[2:4] == (
        AlignedRow(2, 2, Relation.SAME),
        AlignedRow(None, 4, Relation.DELETED, 2),
    )


def test_align_without_mapping_finds_every_relation():
    trace = [
        row(Mod.UNCHANGED, "Fill the kettle with water"),
        row(Mod.UNCHANGED, "Put two tea bags in the mug"),
        row(Mod.UNCHANGED, "Stir the sugar"),
        row(Mod.UNCHANGED, "Pour the boiling water over the tea bag"),
        row(Mod.UNCHANGED, "Switch on the kettle"),
    ]

    rows = align(TEA, trace)

    assert rows == (
        AlignedRow(0, 0, Relation.SAME),
        AlignedRow(1, None, Relation.MOVED, 4),
        AlignedRow(2, 1, Relation.CHANGED),
        AlignedRow(None, 2, Relation.INSERTED),
        AlignedRow(3, 3, Relation.SAME),
        AlignedRow(None, 4, Relation.MOVED, 1),
    )


def test_align_without_mapping_pairs_what_replaced_what():
    trace = [
        row(Mod.UNCHANGED, "Fill the kettle with water"),
        row(Mod.UNCHANGED, "Xxxxx"),
        row(Mod.UNCHANGED, "Put a tea bag in the mug"),
        row(Mod.UNCHANGED, "Pour the boiling water over the tea bag"),
    ]

    assert align(TEA, trace)[1] == AlignedRow(1, 1, Relation.SUBSTITUTED)


def test_align_without_mapping_trusts_a_shared_step_id():
    reference = (Step(text="Coat ramekin", step_id="3"), Step(text="Whisk egg", step_id="4"))
    trace = [row(Mod.ERROR, "Used the big bowl", step_id="3"), row(Mod.UNCHANGED, "Whisk egg")]

    assert align(reference, trace)[0] == AlignedRow(0, 0, Relation.SUBSTITUTED)


def test_align_of_nothing_is_nothing():
    assert align((), ()) == ()
    assert align(TEA[:1], ()) == (AlignedRow(0, None, Relation.DELETED),)
    assert align((), [row(Mod.UNCHANGED, "Sit")]) == (AlignedRow(None, 0, Relation.INSERTED),)


TEXTS = st.sampled_from(["Fill the kettle", "Fill the pan", "Stir", "Wait a minute", "Stir well"])
REFERENCES = st.lists(TEXTS.map(lambda text: Step(text=text)), max_size=7)


@st.composite
def traces(draw, is_mapped):
    reference = draw(REFERENCES)
    places = st.integers(0, len(reference) - 1) if reference and is_mapped else st.none()
    rows = []
    for _ in range(draw(st.integers(0, 9))):
        place = draw(st.one_of(st.none(), places))
        if place is None:
            rows.append(row(draw(st.sampled_from([Mod.INSERTION, Mod.CASCADE])), draw(TEXTS)))
        elif draw(st.booleans()):
            rows.append(row(draw(st.sampled_from([Mod.ERROR, Mod.MOVED_SOURCE])), "Do it", place))
        else:
            rows.append(row(Mod.DELETION, "", place))
    return reference, rows


@given(st.one_of(traces(is_mapped=True), traces(is_mapped=False)))
def test_align_keeps_the_order_and_shows_every_step_exactly_once(case):
    reference, trace = case

    rows = align(reference, trace)

    shown_steps = [item.reference_index for item in rows if item.reference_index is not None]
    shown_rows = [item.trace_index for item in rows if item.trace_index is not None]
    done_rows = [index for index in shown_rows if trace[index].mod != Mod.DELETION]
    assert shown_steps == list(range(len(reference)))
    assert sorted(shown_rows) == list(range(len(trace)))
    assert done_rows == sorted(done_rows)


@given(st.one_of(traces(is_mapped=True), traces(is_mapped=False)))
def test_align_points_elsewhere_only_from_a_row_with_one_side(case):
    reference, trace = case

    for item in align(reference, trace):
        if item.elsewhere_index is not None:
            assert (item.reference_index is None) != (item.trace_index is None)


def test_word_differences_marks_words_and_leaves_punctuation_alone():
    before, after = word_differences(
        "Draw the green liquid, slowly", "Draw the yellow liquid slowly."
    )

    assert before == (
        Words("Draw the ", WordKind.SAME),
        Words("green", WordKind.REMOVED),
        Words(" liquid", WordKind.SAME),
        Words(",", WordKind.REMOVED),
        Words(" slowly", WordKind.SAME),
    )
    assert after == (
        Words("Draw the ", WordKind.SAME),
        Words("yellow", WordKind.ADDED),
        Words(" liquid slowly", WordKind.SAME),
        Words(".", WordKind.ADDED),
    )


def test_word_differences_takes_a_number_with_its_fraction_as_one_word():
    _, after = word_differences("Chop 1/4 tomato", "Chop 1/8 tomato")

    assert after[1] == Words("1/8", WordKind.ADDED)


@pytest.mark.parametrize(
    ("before", "after"),
    [("Stir", "stir"), ("don't stop", "Don't stop"), ("a  b", "a b"), ("", "")],
)
def test_word_differences_ignores_case_and_blanks(before, after):
    kinds = {run.kind for side in word_differences(before, after) for run in side}

    assert kinds <= {WordKind.SAME}


@given(st.text(max_size=40), st.text(max_size=40))
def test_word_differences_gives_both_texts_back(before, after):
    old, new = word_differences(before, after)

    assert "".join(run.text for run in old) == before
    assert "".join(run.text for run in new) == after
    assert {run.kind for run in old} <= {WordKind.SAME, WordKind.REMOVED}
    assert {run.kind for run in new} <= {WordKind.SAME, WordKind.ADDED}


def cost_of(likeness, pairs):
    gap = (1 - ALIKE_SIMILARITY) / 2
    alone = sum(likeness.shape) - 2 * len(pairs)
    return alone * gap + sum(1 - likeness[step, row_] for row_, step in pairs.items())


def least_cost(likeness):
    """What the cheapest alignment costs, cell by cell."""
    gap = (1 - ALIKE_SIMILARITY) / 2
    step_count, row_count = likeness.shape
    last = [gap * place for place in range(row_count + 1)]
    for step in range(step_count):
        line = [last[0] + gap]
        for row_ in range(row_count):
            paired = last[row_] + 1 - likeness[step, row_]
            line.append(min(paired, last[row_ + 1] + gap, line[row_] + gap))
        last = line
    return last[-1]


@pytest.mark.parametrize("seed", range(50))
def test_no_alignment_is_cheaper(seed):
    rng = np.random.default_rng(seed)
    likeness = rng.choice([0, 0.45, 0.5, 0.9, 1.0, rng.random()], rng.integers(1, 14, 2))

    pairs = cheapest_pairs(likeness)

    assert list(pairs.values()) == sorted(pairs.values(), reverse=True)
    assert list(pairs) == sorted(pairs, reverse=True)
    assert cost_of(likeness, pairs) == pytest.approx(least_cost(likeness))


def test_two_thousand_steps_are_aligned_in_whole_diagonals():
    """Cell by cell it were four million steps of Python, more than a second."""
    reference = [Step(text=f"Stir the pot number {index}") for index in range(2000)]
    trace = [row(Mod.UNCHANGED, step.text) for step in reference]
    calls = []
    sys.setprofile(lambda _, event, __: calls.append(event))
    try:
        rows = align(reference, trace)
    finally:
        sys.setprofile(None)

    assert len(rows) == 2000
    assert len(calls) < 100 * len(trace)
