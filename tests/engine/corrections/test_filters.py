from dataclasses import replace

import pytest

from annotation.engine.taxonomy import ErrorType
from generation.engine.corrections.filters import is_redundant, reason_not_to_correct
from tests.engine.corrections.plans import error_at, situation_with
from tests.engine.planner.procedures import ALONE, procedure_of

WIPE = "WIPE(Agent: you, Object: table)"
SHAKE = "SHAKE(Agent: you, Object: jar)"
TILT = "TILT(Agent: you, Object: pan)"


@pytest.mark.parametrize("error_type", [ErrorType.DELETION, ErrorType.TRANSPOSITION])
def test_trivial_deletions_and_transpositions_are_not_corrected(error_type):
    error = error_at(0, error_type, partner=1)

    reason = reason_not_to_correct(situation_with(procedure_of(WIPE, TILT), error), error)

    assert reason == "a trivial step"


@pytest.mark.parametrize("error_type", [ErrorType.INSERTION, ErrorType.SUBSTITUTION])
def test_other_errors_at_trivial_steps_may_be_corrected(error_type):
    error = error_at(0, error_type)

    assert reason_not_to_correct(situation_with(procedure_of(WIPE), error), error) is None


def test_trivial_wrong_executions_may_be_corrected_three_times_in_ten():
    error = error_at(0, ErrorType.WRONG_EXECUTION)
    situation = situation_with(procedure_of(WIPE), error)

    going_on = sum(reason_not_to_correct(situation, error) is None for _ in range(2000))

    # Standard error 0.010.
    assert going_on / 2000 == pytest.approx(0.3, abs=0.045)


@pytest.mark.parametrize(
    ("semreps", "index", "redundant"),
    [
        ((SHAKE, TILT, SHAKE), 0, True),
        ((SHAKE, TILT, SHAKE), 2, True),
        ((SHAKE, TILT, "SHAKE(Agent: you, Object: pan)"), 0, False),
        ((SHAKE, *[TILT] * 4, SHAKE), 0, True),
        ((SHAKE, *[TILT] * 5, SHAKE), 0, False),
        ((SHAKE, "WAIT(Agent: you)", TILT), 0, False),
    ],
)
def test_deletion_is_redundant_near_a_step_of_the_same_kind(semreps, index, redundant):
    error = error_at(index, ErrorType.DELETION)

    assert is_redundant(situation_with(procedure_of(*semreps), error), error) is redundant


@pytest.mark.parametrize("change", [{"text": "STEP 0: " + SHAKE}, {"vocabulary_id": "7"}])
def test_deletion_is_redundant_if_the_same_step_comes_later(change):
    procedure = procedure_of(SHAKE, *[TILT] * 8)
    first = replace(procedure.steps[0], vocabulary_id="7")
    last = replace(procedure.steps[8], **change)
    procedure = replace(procedure, steps=(first, *procedure.steps[1:8], last))
    error, late = error_at(0, ErrorType.DELETION), error_at(8, ErrorType.DELETION)

    assert is_redundant(situation_with(procedure, error), error)
    # TILT is near the late one; the early SHAKE to the letter is not later than it.
    assert (
        reason_not_to_correct(situation_with(procedure, late), late) == "the step is done elsewhere"
    )


@pytest.mark.parametrize(("trusts", "redundant"), [(True, True), (False, False)])
def test_shared_unique_id_makes_a_deletion_redundant_only_as_published(trusts, redundant):
    filters = replace(ALONE.corrections.filters, trusts_unique_ids=trusts)
    profile = replace(ALONE, corrections=replace(ALONE.corrections, filters=filters))
    procedure = procedure_of(SHAKE, TILT)
    steps = tuple(replace(step, unique_id=839) for step in procedure.steps)
    error = error_at(0, ErrorType.DELETION)
    situation = situation_with(replace(procedure, steps=steps), error, profile=profile)

    assert is_redundant(situation, error) is redundant


@pytest.mark.parametrize(("ignores", "redundant"), [(False, True), (True, False)])
def test_deletion_is_not_redundant_for_a_step_that_is_deleted_too(ignores, redundant):
    filters = replace(ALONE.corrections.filters, ignores_events=ignores)
    profile = replace(ALONE, corrections=replace(ALONE.corrections, filters=filters))
    errors = [error_at(0, ErrorType.DELETION), error_at(2, ErrorType.DELETION, number=2)]
    situation = situation_with(procedure_of(SHAKE, TILT, SHAKE), *errors, profile=profile)

    assert is_redundant(situation, errors[0]) is redundant


@pytest.mark.parametrize(
    ("target", "reason"),
    [
        ("ADD(Agent: you, Object: salt)", "the order of the two does not matter"),
        ("POUR(Agent: you, Object: salt)", None),
        (WIPE, "one of the swapped steps is trivial"),
    ],
)
def test_swap_of_commuting_or_trivial_steps_is_not_corrected(target, reason):
    error = error_at(0, ErrorType.TRANSPOSITION, partner=1)
    situation = situation_with(procedure_of("ADD(Agent: you, Object: oil)", target), error)

    assert reason_not_to_correct(situation, error) == reason
