"""Slots become rows in a line; events stand where they belong and never on top of each other."""

import pytest

from annotation.engine.taxonomy import Mod
from generation.engine.rewriting.exceptions import PlanConflictError
from generation.engine.rewriting.rewrite import RewriteRow
from generation.engine.rewriting.timeline import Timeline

TEXTS = ["a", "b", "c", "d"]


def correction(event_id):
    return RewriteRow(Mod.CORRECTION, f"fix {event_id}", None, "correction", event_id, "c0")


def line(timeline):
    return [row.text for row in timeline.rewrite().rows]


def test_timeline_starts_as_the_procedure():
    assert [(row.mod, row.old_index) for row in Timeline(TEXTS).rewrite().rows] == [
        (Mod.UNCHANGED, index) for index in range(4)
    ]


def test_swapped_steps_carry_the_marks_of_source_and_target():
    timeline = Timeline(TEXTS)

    timeline.swap(1, 3, "E01", "transposition")

    rows = timeline.rewrite().rows
    assert line(timeline) == ["a", "d", "c", "b"]
    assert [(row.mod, row.old_index) for row in (rows[1], rows[3])] == [
        (Mod.MOVED_TARGET, 3),
        (Mod.MOVED_SOURCE, 1),
    ]


def test_correction_comes_after_the_step_at_which_it_is_noticed():
    timeline = Timeline(TEXTS)
    timeline.put_before(1, RewriteRow(Mod.INSERTION, "slip", event_id="E01"))

    timeline.correct(correction("E01"), detect_index=2, use_index=None)

    assert line(timeline) == ["a", "slip", "b", "c", "fix E01", "d"]


@pytest.mark.parametrize(
    ("detect_index", "texts"),
    [(1, ["c", "b", "fix E01", "a", "d"]), (2, ["c", "b", "a", "fix E01", "d"])],
)
def test_correction_of_a_swap_stands_at_the_place_of_its_detection(detect_index, texts):
    timeline = Timeline(TEXTS)
    timeline.swap(0, 2, "E01", "transposition")

    timeline.correct(correction("E01"), detect_index=detect_index, use_index=None)

    assert line(timeline) == texts


def test_correction_stands_at_the_place_of_its_detection_whatever_stands_there():
    timeline = Timeline(TEXTS)
    timeline.put_before(0, RewriteRow(Mod.INSERTION, "slip", event_id="E01"))
    timeline.swap(1, 2, "E02", "transposition")

    timeline.correct(correction("E01"), detect_index=1, use_index=None)

    assert line(timeline) == ["slip", "a", "c", "fix E01", "b", "d"]


def test_correction_stands_before_the_step_that_needs_it_even_where_that_moved_up():
    timeline = Timeline(TEXTS)
    timeline.change(0, RewriteRow(Mod.DELETION, None, 0, "deletion", "E01"))
    timeline.swap(1, 3, "E02", "transposition")

    timeline.correct(correction("E01"), detect_index=2, use_index=3)

    assert line(timeline) == [None, "fix E01", "d", "c", "b"]


def test_text_of_a_step_is_found_where_the_step_stands_now():
    timeline = Timeline(TEXTS)
    timeline.swap(0, 1, "E01", "transposition")
    timeline.change(2, RewriteRow(Mod.DELETION, None, 2, "deletion", "E02"))

    assert [timeline.text_of_step(index) for index in range(4)] == ["a", "b", None, "d"]


def test_step_outside_the_procedure_is_refused():
    with pytest.raises(PlanConflictError, match="plan event E01: there is no step 4; expected 0 t"):
        Timeline(TEXTS).put_before(4, RewriteRow(Mod.INSERTION, "slip", event_id="E01"))


def test_step_of_another_event_is_refused():
    timeline = Timeline(TEXTS)
    timeline.swap(0, 1, "E01", "transposition")

    with pytest.raises(PlanConflictError, match="E02: step 1 already belongs to E01"):
        timeline.swap(1, 2, "E02", "transposition")
