import pytest

from annotation.engine.taxonomy import ErrorType
from generation.engine.correction_kinds.reacquire_missing_object import KIND
from generation.engine.planner.profiles import DIFFERENCES, with_changes
from tests.engine.corrections.plans import error_at, situation_with
from tests.engine.planner.procedures import ALONE, procedure_of

GET_CUP = "GET(Agent: you, Object: cup)"
FILL_CUP = "FILL(Agent: you, Object: cup)"
WAIT = "WAIT(Agent: you)"
MINDING = with_changes(ALONE, DIFFERENCES["events_avoid_each_other"])


def test_missing_object_is_acquired_just_before_its_first_use():
    error = error_at(0, ErrorType.DELETION, needed_at=3)

    verdict = KIND.verdict(
        situation_with(procedure_of(GET_CUP, WAIT, WAIT, FILL_CUP), error), error
    )

    assert verdict.correction.to_dict() == {
        "correction_id": "",
        "targets_error_id": "E01",
        "targets_error_type": "deletion",
        "detect_at_step_index": 2,
        "latency_steps": 2,
        "correction_type": "reacquire_missing_object_before_use",
        "insert_before_step_index": 3,
        "missing_object": "cup",
        "missing_from_step_index": 0,
    }


def test_missing_object_that_a_step_between_brings_needs_no_correction():
    error = error_at(0, ErrorType.DELETION, needed_at=2)

    verdict = KIND.verdict(situation_with(procedure_of(GET_CUP, GET_CUP, FILL_CUP), error), error)

    assert (verdict.correction, verdict.reason) == (None, "a step in between brings the object")


@pytest.mark.parametrize(
    "error", [error_at(0, ErrorType.DELETION), error_at(0, ErrorType.SUBSTITUTION)]
)
def test_errors_that_miss_no_object_have_no_certain_correction(error):
    assert KIND.verdict(situation_with(procedure_of(GET_CUP, FILL_CUP), error), error) is None


@pytest.mark.parametrize(("profile", "before", "detect"), [(ALONE, 2, 1), (MINDING, 3, 1)])
def test_missing_object_of_a_deleted_use_is_acquired_before_the_next_use(profile, before, detect):
    errors = [
        error_at(0, ErrorType.DELETION, needed_at=2),
        error_at(2, ErrorType.DELETION, number=2),
    ]
    procedure = procedure_of(GET_CUP, WAIT, FILL_CUP, "WASH(Agent: you, Object: cup)")

    correction = KIND.verdict(
        situation_with(procedure, *errors, profile=profile), errors[0]
    ).correction

    assert correction.insert_before_step_index == before
    assert correction.detect_at_step_index == detect


def test_missing_object_that_no_later_step_needs_is_not_acquired():
    errors = [
        error_at(0, ErrorType.DELETION, needed_at=1),
        error_at(1, ErrorType.DELETION, number=2),
    ]
    situation = situation_with(procedure_of(GET_CUP, FILL_CUP, WAIT), *errors, profile=MINDING)

    assert KIND.verdict(situation, errors[0]).correction is None
