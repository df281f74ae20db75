"""The bench of the checks of sense: texts without sentences of data sets, parts, false alarms."""

import json

import pytest

from bench.sense import READERS, STORED_LABELS, own_takes, pieces_of, stored_rows, worded_text
from bench.sense_checks import PARTS, accusations, labelled_case, part_of, steps_as_mistakes

PROCEDURE = ("Cut the red paper with scissors.", "Glue the paper onto the lid.")


@pytest.mark.parametrize(
    "text",
    [
        "Cut the red paper with the lid.",
        "Glue the paper onto the lid.",
        "Something else entirely",
        "",
    ],
)
def test_a_stored_text_comes_back_from_its_pieces(text):
    pieces = json.loads(json.dumps(pieces_of(text, PROCEDURE)))

    assert worded_text({"pieces": pieces}, PROCEDURE) == text


def test_pieces_hold_no_words_of_the_procedure():
    pieces = pieces_of("Cut the red paper with tongs", PROCEDURE)

    assert pieces == [(0, 0, 23), "tongs"]


def test_stored_texts_of_published_data_sets_are_in_pieces_alone():
    rows = stored_rows(STORED_LABELS)

    assert {part_of(row) for row in rows} == set(PARTS)
    for row in rows:
        assert ("text" in row) is ("reference" in row) is ("pieces" not in row)


def test_a_procedure_is_in_one_half_of_the_first_draw():
    halves = {}
    for row in stored_rows(STORED_LABELS):
        if part_of(row) != "later":
            halves.setdefault((row["source"], row["take"]), set()).add(part_of(row))

    assert all(len(parts) == 1 for parts in halves.values())


def test_no_step_of_our_own_procedures_is_accused():
    for case in steps_as_mistakes(own_takes()):
        assert accusations(case) == set(), [row.text for row in case.rows]


@pytest.mark.parametrize("kind", ["insertion", "substitution", "wrong_execution"])
def test_a_labelled_text_is_accused_at_its_place(kind):
    row = {"type": kind, "step": 1, "text": "Look at the lid"} | dict.fromkeys(READERS, "natural")

    assert accusations(labelled_case(PROCEDURE, row)) == {"NO_MISTAKE"}
