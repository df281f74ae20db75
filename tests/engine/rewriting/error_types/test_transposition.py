"""Swapped steps keep their words and carry the marks of source and target."""

from annotation.engine.taxonomy import Mod
from generation.engine.rewriting.rewrite import RewriteRow
from tests.engine.rewriting.plans import swap
from tests.engine.rewriting.take import EGG, rows_of


def test_steps_change_places_word_for_word():
    rows = rows_of([swap("E01", 3, 1)])

    assert (rows[1], rows[3]) == (
        RewriteRow(Mod.MOVED_SOURCE, EGG[3][0], 3, "transposition", "E01"),
        RewriteRow(Mod.MOVED_TARGET, EGG[1][0], 1, "transposition", "E01"),
    )
