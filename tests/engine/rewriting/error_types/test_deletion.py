"""A deleted step leaves its row and no text."""

from annotation.engine.taxonomy import ErrorType, Mod
from generation.engine.rewriting.rewrite import RewriteRow
from tests.engine.rewriting.plans import error
from tests.engine.rewriting.take import rows_of


def test_step_is_left_out():
    rows = rows_of([error("E01", ErrorType.DELETION, 4)])

    assert rows[4] == RewriteRow(Mod.DELETION, None, 4, "deletion", "E01")
    assert {row.mod for row in rows[:4]} == {Mod.UNCHANGED}
