"""Valid and broken freeform texts as rows, with an id of its own for every claim."""

import pytest

from annotation.engine.taxonomy import Mod
from generation.engine.rewriting.freeform.reading import FreeformReading, read_freeform
from generation.engine.rewriting.rewrite import Rewrite

STEPS = ["Get a bowl", "Get an egg", "Crack the egg"]


def document(*rows, gone=()):
    return {
        "final_steps": [text for text, *_ in rows],
        "meta": [row for _, *row in rows],
        "del": [list(item) for item in gone],
    }


def ids(reading):
    return [(row.mod, row.event_id, row.correction_id) for row in reading.rewrite.rows]


def test_added_rows_keep_their_anchor_beside_the_rewrite():
    reading = read_freeform(
        STEPS,
        document(
            ("Get a bowl", 0, "u", None, None),
            ("Drop a spoon", 1, "i", "E01", None),
            ("Pick the spoon up", 1, "c", None, "C01"),
            ("Get an egg", 1, "u", None, None),
            gone=[(2, "E02")],
        ),
    )

    assert reading.anchors == {1: 1, 2: 1}
    assert reading.problems == ()
    assert [row.old_index for row in reading.rewrite.rows] == [0, None, None, 1, 2]


def test_every_changed_row_gets_an_id_of_its_own():
    reading = read_freeform(
        STEPS,
        document(
            ("Get a plate", 0, "s", "E01", None),
            ("Get a bad egg", 1, "we", "E01", None),
            ("Drop it", 1, "i", None, None),
            ("Wash it", 1, "c", None, None),
            gone=[(2, "E01")],
        ),
    )

    assert ids(reading) == [
        (Mod.ERROR, "E01", None),
        (Mod.ERROR, "E01.2", None),
        (Mod.INSERTION, "E02", None),
        (Mod.CORRECTION, None, "C01"),
        (Mod.DELETION, "E01.3", None),
    ]
    assert reading.problems == (
        "a row i carries no id: 'Drop it'",
        "a row c carries no id: 'Wash it'",
    )


def test_halves_of_a_swap_share_their_id():
    reading = read_freeform(
        STEPS,
        document(
            ("Get an egg", 1, "mt", "E01", None),
            ("Get a bowl", 0, "ms", "E01", None),
            ("Crack the egg", 2, "u", None, None),
        ),
    )

    assert ids(reading)[:2] == [(Mod.MOVED_TARGET, "E01", None), (Mod.MOVED_SOURCE, "E01", None)]


@pytest.mark.parametrize("broken", [None, [], "text", 7])
def test_what_is_no_object_has_no_rows(broken):
    reading = read_freeform(STEPS, broken)

    assert (reading.rewrite, reading.anchors) == (Rewrite(()), {})
    assert "expected an object" in reading.problems[0]


def test_rows_that_can_be_read_are_kept_beside_those_that_cannot():
    reading = read_freeform(
        STEPS,
        {
            "final_steps": ["Get a bowl", "Get an egg", "More"],
            "meta": [[0, "u", None, None], [1, "?", None, None], [9, "u", None, None]],
            "del": [[2], [2, "E01"]],
        },
    )

    assert [row.old_index for row in reading.rewrite.rows] == [0, 2]
    assert len(reading.problems) == 3


def test_document_without_its_lists_is_told():
    assert read_freeform(STEPS, {}) == FreeformReading(
        Rewrite(()), {}, ("final_steps is missing or not a list",)
    )
