"""The kinds that happen by chance: what each is for, and what it says."""

from collections import Counter
from dataclasses import replace

import pytest

from annotation.engine.taxonomy import ErrorType
from generation.engine.corrections.correction_kinds import correction_kinds
from generation.engine.corrections.situation import Noticing
from generation.engine.planner.profiles import (
    events_mind_each_other,
    substitutions_roll_back_no_further,
)
from generation.engine.planner.taxonomy import CorrectionType, Phase
from tests.engine.corrections.plans import error_at, situation_with
from tests.engine.planner.procedures import ALONE, procedure_of

# The last step carries the whole complexity load, 0.6, and all of the duration load where asked.
STEPS = [
    *("SHAKE(Agent: you, Object: jar)" for _ in range(5)),
    "SHAKE(Agent: you, Object: jar, Location: over(sink))",
]
PROCEDURE = procedure_of(*STEPS)
NOTICING = Noticing(step_index=4, latency_steps=1)


def kind(name):
    return correction_kinds()[CorrectionType(name)]


def test_every_correction_type_has_its_module():
    assert set(correction_kinds()) == set(CorrectionType)


@pytest.mark.parametrize(
    ("error_type", "weights"),
    [
        (ErrorType.WRONG_EXECUTION, {"stop_and_fix": 0.65, "rollback_and_redo": 0.35}),
        (ErrorType.SUBSTITUTION, {"rollback_and_redo": 1.0}),
        (ErrorType.DELETION, {"perform_missed_step_now": 1.0}),
        (ErrorType.INSERTION, {"undo_extra_step": 1.0}),
        (ErrorType.TRANSPOSITION, {"restore_order": 1.0}),
    ],
)
def test_each_error_type_has_its_corrections(error_type, weights):
    error = error_at(2, error_type, partner=3)
    situation = situation_with(PROCEDURE, error)

    found = {str(name): item.weight(situation, error) for name, item in correction_kinds().items()}

    assert {name: weight for name, weight in found.items() if weight} == weights


@pytest.mark.parametrize(
    ("phase", "load", "rollback_weight"),
    [(Phase.COMPLETION, 0.61, 0.0), (Phase.COMPLETION, 0.6, 0.35), (Phase.ROUTINE, 0.9, 0.35)],
)
def test_late_and_loaded_wrong_executions_are_only_stopped_and_fixed(phase, load, rollback_weight):
    error = error_at(2, ErrorType.WRONG_EXECUTION, phase=phase)
    situation = situation_with(PROCEDURE, error)
    steps = tuple(replace(step, load=load) for step in situation.plan.steps)
    situation.plan = replace(situation.plan, steps=steps)

    assert kind("rollback_and_redo").weight(situation, error) == rollback_weight
    assert kind("stop_and_fix").weight(situation, error) == (1.0 if rollback_weight == 0 else 0.65)


@pytest.mark.parametrize(
    ("name", "error_type", "expected"),
    [
        ("stop_and_fix", ErrorType.WRONG_EXECUTION, {"rollback_steps": 0, "redo_step_index": 3}),
        (
            "perform_missed_step_now",
            ErrorType.DELETION,
            {"rollback_steps": 0, "redo_step_index": 3},
        ),
        (
            "restore_order",
            ErrorType.TRANSPOSITION,
            {"rollback_steps": 0, "restore_order_pair": [3, 5]},
        ),
    ],
)
def test_correction_says_what_is_done_again(name, error_type, expected):
    error = error_at(3, error_type, partner=5)

    correction = kind(name).draft(situation_with(PROCEDURE, error), error, NOTICING).to_dict()

    assert correction.pop("intent")
    assert correction == {
        "correction_id": "",
        "targets_error_id": "E01",
        "targets_error_type": correction["targets_error_type"],
        "detect_at_step_index": 4,
        "latency_steps": 1,
        "correction_type": name,
        **expected,
    }


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
            substitutions_roll_back_no_further(ALONE),
            {0: 0.55, 1: 0.2475, 2: 0.2025},
        ),
    ],
)
def test_rollback_is_a_capped_geometric_draw(error_type, profile, shares):
    error = error_at(3, error_type)
    situation = situation_with(PROCEDURE, error, profile=profile)

    drafts = [kind("rollback_and_redo").draft(situation, error, NOTICING) for _ in range(3000)]

    counts = Counter(draft.rollback_steps for draft in drafts)
    assert {draft.redo_step_index + draft.rollback_steps for draft in drafts} == {3}
    # Standard errors are below 0.0092.
    assert {steps: count / 3000 for steps, count in counts.items()} == pytest.approx(
        shares, abs=0.04
    )


def test_rollback_never_passes_the_first_step():
    error = error_at(0, ErrorType.SUBSTITUTION)
    situation = situation_with(PROCEDURE, error)

    drafts = [kind("rollback_and_redo").draft(situation, error, NOTICING) for _ in range(50)]

    assert {draft.redo_step_index for draft in drafts} == {0}


def test_rollback_stops_short_of_a_deleted_step_where_the_profile_says_so():
    errors = [
        error_at(1, ErrorType.DELETION, number=1),
        error_at(3, ErrorType.SUBSTITUTION, number=2),
    ]
    plain, minding = (
        situation_with(PROCEDURE, *errors, profile=profile)
        for profile in (ALONE, events_mind_each_other(ALONE))
    )

    redone = [
        {kind("rollback_and_redo").draft(item, errors[1], NOTICING).redo_step_index
         for _ in range(50)}
        for item in (plain, minding)
    ]  # fmt: skip

    assert redone == [{1, 2}, {2}]


def test_undoing_an_extra_step_rarely_needs_a_rollback():
    error = error_at(3, ErrorType.INSERTION)
    situation = situation_with(PROCEDURE, error)

    drafts = [kind("undo_extra_step").draft(situation, error, NOTICING) for _ in range(2000)]

    # Standard error 0.010.
    assert sum(draft.rollback_steps == 0 for draft in drafts) / 2000 == pytest.approx(
        0.7, abs=0.045
    )


def test_intent_of_a_rollback_speaks_of_the_error_it_repairs():
    wrong, substituted = (
        error_at(3, ErrorType.WRONG_EXECUTION),
        error_at(3, ErrorType.SUBSTITUTION),
    )

    intents = [
        kind("rollback_and_redo").draft(situation_with(PROCEDURE, error), error, NOTICING).intent
        for error in (wrong, substituted)
    ]

    assert "instead" not in intents[0]
    assert "instead" in intents[1]
