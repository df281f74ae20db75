import pytest

from annotation.engine.taxonomy import ErrorType
from generation.engine.correction_kinds.undo_extra_step import KIND
from tests.engine.correction_kinds.drawn import NOTICING, PROCEDURE
from tests.engine.corrections.plans import FIVE, error_at, situation_with


@pytest.mark.parametrize("error_type", FIVE)
def test_undoing_is_for_insertions_only(error_type):
    error = error_at(2, error_type, partner=3)
    weight = KIND.weight(situation_with(PROCEDURE, error), error)

    assert weight == (1.0 if error_type is ErrorType.INSERTION else 0.0)


def test_undoing_an_extra_step_rarely_needs_a_rollback():
    error = error_at(3, ErrorType.INSERTION)
    situation = situation_with(PROCEDURE, error)

    drafts = [KIND.draft(situation, error, NOTICING) for _ in range(2000)]

    assert {draft.rollback_steps for draft in drafts} == {0, 1}
    assert {draft.redo_step_index for draft in drafts} == {None}
    without = sum(draft.rollback_steps == 0 for draft in drafts)
    # Standard error 0.010.
    assert without / 2000 == pytest.approx(0.7, abs=0.045)
