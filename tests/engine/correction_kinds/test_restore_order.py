import pytest

from annotation.engine.taxonomy import ErrorType
from generation.engine.correction_kinds.restore_order import KIND
from tests.engine.correction_kinds.drawn import NOTICING, PROCEDURE, facts_of
from tests.engine.corrections.plans import FIVE, error_at, situation_with


@pytest.mark.parametrize("error_type", FIVE)
def test_restoring_order_is_for_transpositions_only(error_type):
    error = error_at(2, error_type, partner=3)
    weight = KIND.weight(situation_with(PROCEDURE, error), error)

    assert weight == (1.0 if error_type is ErrorType.TRANSPOSITION else 0.0)


def test_restoring_order_names_both_steps():
    error = error_at(3, ErrorType.TRANSPOSITION, partner=5)

    assert facts_of(KIND.draft(situation_with(PROCEDURE, error), error, NOTICING)) == {
        "correction_id": "",
        "targets_error_id": "E01",
        "targets_error_type": "transposition",
        "detect_at_step_index": 4,
        "latency_steps": 1,
        "correction_type": "restore_order",
        "rollback_steps": 0,
        "restore_order_pair": [3, 5],
    }
