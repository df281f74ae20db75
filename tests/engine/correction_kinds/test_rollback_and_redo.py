from collections import Counter
from dataclasses import replace

import pytest

from annotation.engine.taxonomy import ErrorType
from generation.engine.correction_kinds.rollback_and_redo import KIND
from generation.engine.planner.profiles import DIFFERENCES, with_changes
from generation.engine.planner.taxonomy import Phase
from tests.engine.correction_kinds.drawn import NOTICING, PROCEDURE
from tests.engine.corrections.plans import error_at, situation_with
from tests.engine.planner.procedures import ALONE


@pytest.mark.parametrize(
    ("error_type", "weight"),
    [
        (ErrorType.WRONG_EXECUTION, 0.35),
        (ErrorType.SUBSTITUTION, 1.0),
        (ErrorType.DELETION, 0.0),
        (ErrorType.INSERTION, 0.0),
        (ErrorType.TRANSPOSITION, 0.0),
    ],
)
def test_rollback_is_for_wrong_executions_and_substitutions(error_type, weight):
    error = error_at(2, error_type, partner=3)

    assert KIND.weight(situation_with(PROCEDURE, error), error) == weight


def test_wrong_execution_late_and_under_load_is_not_rolled_back():
    error = error_at(2, ErrorType.WRONG_EXECUTION, phase=Phase.COMPLETION)
    situation = situation_with(PROCEDURE, error)
    steps = tuple(replace(step, load=0.61) for step in situation.plan.steps)
    situation.plan = replace(situation.plan, steps=steps)

    assert KIND.weight(situation, error) == 0.0


@pytest.mark.parametrize(
    ("error_type", "profile", "shares"),
    [
        # min(Geometric(0.65) - 1, 2)
        (ErrorType.WRONG_EXECUTION, ALONE, {0: 0.65, 1: 0.2275, 2: 0.1225}),
        # min(Geometric(0.55), 2)
        (ErrorType.SUBSTITUTION, ALONE, {1: 0.55, 2: 0.45}),
        # min(Geometric(0.55) - 1, 2)
        (
            ErrorType.SUBSTITUTION,
            with_changes(ALONE, DIFFERENCES["substitutions_roll_back_no_further"]),
            {0: 0.55, 1: 0.2475, 2: 0.2025},
        ),
    ],
)
def test_rollback_is_a_capped_geometric_draw(error_type, profile, shares):
    error = error_at(3, error_type)
    situation = situation_with(PROCEDURE, error, profile=profile)

    drafts = [KIND.draft(situation, error, NOTICING) for _ in range(3000)]

    counts = Counter(draft.rollback_steps for draft in drafts)
    assert {draft.redo_step_index + draft.rollback_steps for draft in drafts} == {3}
    # Standard errors are below 0.0092.
    assert {steps: count / 3000 for steps, count in counts.items()} == pytest.approx(
        shares, abs=0.04
    )


def test_rollback_never_passes_the_first_step():
    error = error_at(0, ErrorType.SUBSTITUTION)
    situation = situation_with(PROCEDURE, error)

    drafts = [KIND.draft(situation, error, NOTICING) for _ in range(50)]

    assert {draft.redo_step_index for draft in drafts} == {0}


@pytest.mark.parametrize(
    ("profile", "redone"),
    [(ALONE, {1, 2}), (with_changes(ALONE, DIFFERENCES["events_avoid_each_other"]), {2})],
)
def test_rollback_stops_short_of_a_deleted_step_where_the_profile_says_so(profile, redone):
    deleted = error_at(1, ErrorType.DELETION, number=1)
    error = error_at(3, ErrorType.SUBSTITUTION, number=2)
    situation = situation_with(PROCEDURE, deleted, error, profile=profile)

    drafts = [KIND.draft(situation, error, NOTICING) for _ in range(50)]

    assert {draft.redo_step_index for draft in drafts} == redone


@pytest.mark.parametrize(
    ("error_type", "speaks_of_another_step"),
    [(ErrorType.WRONG_EXECUTION, False), (ErrorType.SUBSTITUTION, True)],
)
def test_intent_of_a_rollback_speaks_of_the_error_it_repairs(error_type, speaks_of_another_step):
    error = error_at(3, error_type)

    draft = KIND.draft(situation_with(PROCEDURE, error), error, NOTICING)

    assert ("instead" in draft.intent) is speaks_of_another_step
