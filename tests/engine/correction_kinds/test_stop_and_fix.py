from dataclasses import replace

import pytest

from annotation.engine.taxonomy import ErrorType
from generation.engine.correction_kinds.stop_and_fix import KIND
from generation.engine.planner.taxonomy import Phase
from tests.engine.correction_kinds.drawn import NOTICING, PROCEDURE, facts_of
from tests.engine.corrections.plans import FIVE, error_at, situation_with

WRONG = ErrorType.WRONG_EXECUTION


@pytest.mark.parametrize(
    ("phase", "load", "weight"),
    [(Phase.COMPLETION, 0.61, 1.0), (Phase.COMPLETION, 0.6, 0.65), (Phase.ROUTINE, 0.9, 0.65)],
)
def test_stop_and_fix_is_certain_late_and_under_load(phase, load, weight):
    error = error_at(2, WRONG, phase=phase)
    situation = situation_with(PROCEDURE, error)
    steps = tuple(replace(step, load=load) for step in situation.plan.steps)
    situation.plan = replace(situation.plan, steps=steps)

    assert KIND.weight(situation, error) == weight


@pytest.mark.parametrize("error_type", [kind for kind in FIVE if kind is not WRONG])
def test_stop_and_fix_is_for_wrong_executions_only(error_type):
    error = error_at(2, error_type, partner=3)

    assert KIND.weight(situation_with(PROCEDURE, error), error) == 0.0


def test_stop_and_fix_does_the_step_again():
    error = error_at(3, WRONG)

    assert facts_of(KIND.draft(situation_with(PROCEDURE, error), error, NOTICING)) == {
        "correction_id": "",
        "targets_error_id": "E01",
        "targets_error_type": "wrong_execution",
        "detect_at_step_index": 4,
        "latency_steps": 1,
        "correction_type": "stop_and_fix",
        "rollback_steps": 0,
        "redo_step_index": 3,
    }
