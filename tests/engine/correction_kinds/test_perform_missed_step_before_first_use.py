import pytest

from annotation.engine.taxonomy import ErrorType
from generation.engine.correction_kinds.perform_missed_step_before_first_use import KIND
from tests.engine.corrections.plans import error_at, situation_with
from tests.engine.planner.procedures import procedure_of

CHOP = "CHOP(Agent: you, Object: leek)"
FRY = "FRY(Agent: you, Object: leek)"
WAIT = "WAIT(Agent: you)"


@pytest.mark.parametrize(("waits", "is_forced"), [(0, True), (3, True), (4, False)])
def test_missed_preparation_is_done_before_it_is_needed(waits, is_forced):
    error = error_at(0, ErrorType.DELETION)

    verdict = KIND.verdict(situation_with(procedure_of(CHOP, *[WAIT] * waits, FRY), error), error)

    assert (verdict is not None) is is_forced
    if verdict:
        correction = verdict.correction
        assert correction.insert_before_step_index == waits + 1
        assert correction.detect_at_step_index == waits
        assert correction.latency_steps == waits
        assert (correction.redo_step_index, correction.rollback_steps) == (0, None)


@pytest.mark.parametrize(
    ("semreps", "error_type"),
    [
        ((FRY, FRY), ErrorType.DELETION),
        ((CHOP, WAIT), ErrorType.DELETION),
        ((CHOP, FRY), ErrorType.WRONG_EXECUTION),
    ],
)
def test_other_errors_have_no_certain_correction(semreps, error_type):
    error = error_at(0, error_type)

    assert KIND.verdict(situation_with(procedure_of(*semreps), error), error) is None
