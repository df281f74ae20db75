from dataclasses import replace

import pytest

from annotation.engine.taxonomy import ErrorType
from generation.engine.corrections.choosing import Candidate, choose_corrections
from generation.engine.planner.plan import PlannedCorrection
from generation.engine.planner.profiles import DIFFERENCES, with_changes
from generation.engine.planner.taxonomy import CorrectionType, Severity
from tests.engine.corrections.plans import error_at, situation_with
from tests.engine.planner.procedures import ALONE, GARDEN, procedure_of

PLAIN = procedure_of(*[f"SHAKE(Agent: you, Object: jar{'x' * count})" for count in range(6)])
WRONG = ErrorType.WRONG_EXECUTION


def candidate(error, *, detect=5, is_forced=False, kind=CorrectionType.STOP_AND_FIX, redo=None):
    correction = PlannedCorrection(
        correction_id="",
        target_event_id=error.event_id,
        target_type=error.error_type,
        detect_at_step_index=detect,
        latency_steps=detect - error.step_index,
        correction_type=kind,
        redo_step_index=error.step_index if redo is None else redo,
    )
    return Candidate(error, correction, is_forced)


def chosen_ids(procedure, candidates, profile=ALONE):
    errors = [item.error for item in candidates]
    situation = situation_with(procedure, *errors, profile=profile)
    return [item.target_event_id for item in choose_corrections(situation, candidates)]


def test_corrections_at_different_steps_all_happen_in_order():
    first, second = error_at(0, WRONG), error_at(1, WRONG, number=2)

    assert chosen_ids(PLAIN, [candidate(first, detect=4), candidate(second, detect=2)]) == [
        "E02",
        "E01",
    ]


LOW, HIGH = Severity.LOW, Severity.HIGH


@pytest.mark.parametrize(
    ("left", "right"),
    [
        # Forced goes before grave, grave before essential, essential before a short latency.
        (candidate(error_at(0, WRONG, severity=LOW), is_forced=True),
         candidate(error_at(1, WRONG, severity=HIGH, number=2))),
        (candidate(error_at(0, WRONG, severity=HIGH, essential=False)),
         candidate(error_at(1, WRONG, severity=LOW, number=2))),
        (candidate(error_at(0, WRONG)),
         candidate(error_at(1, WRONG, essential=False, number=2))),
    ],
)  # fmt: skip
def test_one_correction_per_step_by_priority(left, right):
    assert chosen_ids(PLAIN, [left, right]) == ["E01"]
    assert chosen_ids(PLAIN, [right, left]) == ["E01"]


def test_salient_goes_before_short_latency_and_short_latency_before_late_event():
    steps = ("OPEN(Agent: you, Object: jar)", *(step.semrep for step in PLAIN.steps[1:]))

    pair = [candidate(error_at(0, WRONG)), candidate(error_at(1, WRONG, number=2))]

    assert chosen_ids(procedure_of(*steps), pair) == ["E01"]
    assert chosen_ids(PLAIN, pair) == ["E02"]


def test_equal_corrections_go_to_the_later_event():
    pair = [candidate(error_at(2, WRONG)), candidate(error_at(2, WRONG, number=2))]

    assert chosen_ids(PLAIN, pair) == ["E02"]


@pytest.mark.parametrize(
    ("profile", "expected"),
    [(ALONE, []), (with_changes(ALONE, DIFFERENCES["rejected_before_chosen"]), ["E02"])],
)
def test_rollback_into_another_block_drops_the_corrections_of_its_step_only_as_published(
    profile, expected
):
    steps = (replace(PLAIN.steps[0], shared_id_block=GARDEN), *PLAIN.steps[1:])
    procedure = replace(PLAIN, steps=steps)
    best = candidate(
        error_at(1, WRONG, severity=HIGH), kind=CorrectionType.ROLLBACK_AND_REDO, redo=0
    )
    other = candidate(error_at(2, WRONG, severity=LOW, number=2))

    assert chosen_ids(procedure, [best, other], profile) == expected
