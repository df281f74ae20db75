import pytest

from annotation.engine.taxonomy import ErrorType
from generation.engine.correction_kinds.perform_missed_step_now import KIND
from tests.engine.correction_kinds.drawn import NOTICING, PROCEDURE, facts_of
from tests.engine.corrections.plans import FIVE, error_at, situation_with


@pytest.mark.parametrize("error_type", FIVE)
def test_doing_a_missed_step_now_is_for_deletions_only(error_type):
    error = error_at(2, error_type, partner=3)
    weight = KIND.weight(situation_with(PROCEDURE, error), error)

    assert weight == (1.0 if error_type is ErrorType.DELETION else 0.0)


def test_doing_a_missed_step_now_names_the_deleted_step():
    error = error_at(3, ErrorType.DELETION)

    assert facts_of(KIND.draft(situation_with(PROCEDURE, error), error, NOTICING)) == {
        "correction_id": "",
        "targets_error_id": "E01",
        "targets_error_type": "deletion",
        "detect_at_step_index": 4,
        "latency_steps": 1,
        "correction_type": "perform_missed_step_now",
        "rollback_steps": 0,
        "redo_step_index": 3,
    }
