"""Rewrites that fit together are read in full, others as far as they fit."""

import pytest

from annotation.engine.taxonomy import Mod
from generation.engine.judging.reading import UNREADABLE, read_rewrite
from generation.engine.rewriting.rewrite import Rewrite
from tests.engine.judging.takes import Rows

R = Rows(["Get a cup", "Wash the cup", "Dry the cup"])
WHOLE = Rewrite((*R.u(0), R.d(1), *R.u(2)))


def test_whole_rewrite_is_read_without_a_finding():
    reading = read_rewrite(WHOLE.to_dict())

    assert (reading.rewrite, reading.finding) == (WHOLE, None)


def test_text_that_no_row_points_at_is_dropped():
    document = WHOLE.to_dict()
    document["final_steps"].append("Sing")

    reading = read_rewrite(document)

    assert reading.rewrite == WHOLE
    assert reading.finding.code == UNREADABLE
    assert "expected each of the 3 final_steps once" in reading.finding.detail


def test_row_that_points_at_no_text_is_dropped():
    document = WHOLE.to_dict()
    document["final_steps"].pop()

    reading = read_rewrite(document)

    assert [row.mod for row in reading.rewrite.rows] == [Mod.UNCHANGED, Mod.DELETION]
    assert "meta row 2: new is 1; expected 0 to 0" in reading.finding.detail


def test_second_row_of_a_text_is_dropped():
    document = WHOLE.to_dict()
    document["meta"].append(document["meta"][0])

    assert read_rewrite(document).rewrite == WHOLE


@pytest.mark.parametrize(
    "document",
    [
        {},
        {"final_steps": "Get a cup", "meta": []},
        {"final_steps": ["Get a cup"], "meta": [7, {"mod": "?"}, {"mod": "u", "new": "one"}]},
        {"final_steps": [None], "meta": [{"mod": "u", "new": 0, "old": 0}]},
        {"final_steps": ["Get a cup"], "meta": [{"mod": "d", "new": 0, "old": 0}]},
    ],
)
def test_document_without_a_fitting_row_is_a_finding(document):
    reading = read_rewrite(document)

    assert reading.rewrite == Rewrite(())
    assert reading.finding.code == UNREADABLE
