import json
import os
import subprocess
import sys
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from generation.engine.error_types.transposition import TranspositionSpec
from generation.engine.planner.decisions import DecisionTrace
from generation.engine.planner.error_kind import type_names
from generation.engine.planner.files.corpus_role_priors import with_role_priors
from generation.engine.planner.files.plan_json import plan_from_dict, plan_to_dict
from generation.engine.planner.files.profile_files import profile_to_dict, stored_profile
from generation.engine.planner.files.simulation_log import simulation_log
from generation.engine.planner.planning import plan_take
from generation.engine.planner.profiles import PIEV, PUBLISHED
from generation.engine.results.plan_runs import correct_plans, plan_takes
from tests.engine.planner.procedures import ALONE, TEA, procedure_of

TAKES = tuple(procedure_of(*(TEA * 3)[: 5 + number], uid=f"take-{number}") for number in range(12))


def plans_by_uid(takes, *, seed=4):
    plans = correct_plans(plan_takes(takes, profile=PIEV, seed=seed), profile=PIEV, seed=seed)
    return {plan.take_uid: plan for plan in plans}


@settings(max_examples=25, deadline=None)
@given(st.lists(st.sampled_from(TAKES), unique_by=lambda take: take.take_uid))
def test_plan_of_a_take_does_not_depend_on_other_takes_and_their_order(takes):
    whole = plans_by_uid(TAKES)

    assert plans_by_uid(takes) == {take.take_uid: whole[take.take_uid] for take in takes}


def test_plan_does_not_depend_on_the_process():
    # Sets of strings are ordered anew in every process; no draw may follow such an order.
    code = (
        "from tests.engine.planner.test_planning import TAKES, plans_by_uid;"
        "print([(e.step_index, str(e.error_type)) for p in plans_by_uid(TAKES).values()"
        " for e in p.errors])"
    )
    here = [
        (error.step_index, str(error.error_type))
        for plan in plans_by_uid(TAKES).values()
        for error in plan.errors
    ]

    there = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "PYTHONHASHSEED": "4711", "PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True,
        text=True,
        check=True,
    )

    assert there.stdout.strip() == str(here)


def backwards(data):
    """Return JSON data with the keys of every object in the opposite order."""
    if not isinstance(data, dict):
        return data
    return {name: backwards(inner) for name, inner in reversed(data.items())}


def test_plan_does_not_depend_on_the_order_in_which_a_database_keeps_the_profile():
    reordered = stored_profile(backwards(profile_to_dict(PIEV)))

    plans = [
        list(correct_plans(plan_takes(TAKES, profile=kept, seed=seed), profile=kept, seed=seed))
        for seed in range(10)
        for kept in (PIEV, reordered)
    ]

    assert plans[::2] == plans[1::2]


def test_plan_repeats_with_the_seed_and_changes_with_it():
    procedure = procedure_of(*TEA * 3)

    plans = [plan_take(procedure, profile=PIEV, seed=seed) for seed in (1, 1, 2, 3, 4)]

    assert plans[0] == plans[1]
    assert len({str(plan.errors) for plan in plans}) > 1


@pytest.mark.parametrize("profile", [PIEV, ALONE], ids=lambda profile: profile.name)
def test_planned_errors_keep_the_hard_constraints(profile):
    procedure = procedure_of(*TEA * 2)

    for seed in range(150):
        plan = plan_take(procedure, profile=profile, seed=seed)
        affected = {error.step_index for error in plan.errors}
        for error in plan.errors:
            if isinstance(error.spec, TranspositionSpec):
                affected.add(error.spec.target_index)
        assert 1 <= len(plan.errors) <= 5
        assert plan.statistics.error_count == len(plan.errors)
        assert [error.event_id for error in plan.errors] == [
            f"E{number:02d}" for number in range(1, len(plan.errors) + 1)
        ]
        assert [error.step_index for error in plan.errors] == sorted(
            error.step_index for error in plan.errors
        )
        assert not any(set(range(first, first + 4)) <= affected for first in affected)


@pytest.mark.parametrize(
    ("count", "reason"),
    [
        (0, "the procedure has no steps"),
        (1, "the procedure has 1 step, and profile piev plans mistakes from 3 on"),
        (2, "the procedure has 2 steps, and profile piev plans mistakes from 3 on"),
    ],
)
def test_plan_of_too_short_a_procedure_is_empty_and_says_why(count, reason):
    plan = plan_take(procedure_of(*TEA[:count]), profile=PIEV, seed=1)

    assert (plan.errors, plan.empty_reason) == ((), reason)
    assert plan_to_dict(plan)["empty_reason"] == reason


def test_plan_of_a_spared_short_procedure_says_that_no_error_was_drawn():
    procedure = procedure_of(*TEA[:3])

    plans = [plan_take(procedure, profile=PIEV, seed=seed) for seed in range(60)]

    assert {len(plan.errors) for plan in plans} == {0, 1}
    assert "0 errors were drawn for this procedure of 3 steps" in {
        plan.empty_reason for plan in plans if not plan.errors
    }


def test_plan_where_no_type_fits_says_so():
    nothing_fits = replace(
        PIEV,
        types=replace(
            PIEV.types,
            priors={
                phase: {error_type: float(error_type == "T") for error_type in priors}
                for phase, priors in PIEV.types.priors.items()
            },
        ),
    )
    procedure = procedure_of(*["REPEAT(Agent: you, Object: all)"] * 8)

    plan = plan_take(procedure, profile=nothing_fits, seed=0)

    assert plan.errors == ()
    assert plan.empty_reason.startswith("no error type fits any of the ")


def test_trace_records_the_decisions_and_changes_nothing():
    procedure, trace = procedure_of(*TEA), DecisionTrace()

    plan = plan_take(procedure, profile=PIEV, seed=9, trace=trace)

    assert plan == plan_take(procedure, profile=PIEV, seed=9)
    placed = [item for item in trace.decisions if item.what == "steps with an error"]
    typed = [item for item in trace.decisions if item.what == "error type"]
    assert trace.decisions[0].what == "number of errors"
    assert trace.decisions[0].options["rate"] == plan.statistics.error_rate
    assert placed[0].outcome == ", ".join(str(error.step_index) for error in plan.errors)
    assert [item.step_index for item in typed][-1] == plan.errors[-1].step_index
    assert set(typed[0].options) == set(type_names().values())


def test_plan_warns_of_predicates_unknown_to_the_priors():
    profile = with_role_priors(PIEV, {"GET": {"Object": 0.5}})
    procedure = procedure_of(
        "GET(Agent: you, Object: cup)",
        "JUGGLE(Agent: you, Object: cup)",
        "GET(Agent: you, Object: lid)",
    )

    plan = plan_take(procedure, profile=profile, seed=0)

    assert [(item.where, item.message) for item in plan.warnings] == [
        (
            "take take-1",
            "predicate of 1 step: unknown to the role priors, default used (step 1)",
        ),
    ]


def test_alternates_of_piev_are_never_steps_of_other_errors():
    procedure = procedure_of(*TEA * 3)

    for seed in range(150):
        plan = plan_take(procedure, profile=PIEV, seed=seed)
        taken = {error.step_index for error in plan.errors}
        taken |= {
            error.spec.target_index
            for error in plan.errors
            if isinstance(error.spec, TranspositionSpec)
        }
        for error in plan.errors:
            alternates = error.to_dict().get("alternate_src_indices", [])
            assert not taken & set(alternates)


def test_published_needs_the_statistics_of_the_run():
    with pytest.raises(ValueError, match="pass run_statistics"):
        plan_take(procedure_of(*TEA), profile=PUBLISHED, seed=0)


def test_type_without_a_wording_that_makes_sense_is_passed_over_and_the_plan_says_so():
    # Nobody can ponder too much, or something else instead: only leaving out and order fit.
    take = procedure_of(*[f"PONDER(Agent: you, Object: past_{number})" for number in range(9)])
    plans = [plan_take(take, profile=PIEV, seed=seed) for seed in range(20)]

    over = [item for plan in plans for item in plan.passed_over]

    assert {item.error_type.name for item in over} == {
        "wrong_execution",
        "substitution",
        "insertion",
    }
    assert {error.error_type.name for plan in plans for error in plan.errors} <= {
        "deletion",
        "transposition",
    }
    plan = next(plan for plan in plans if plan.passed_over)
    assert plan_from_dict(plan.take_uid, json.loads(json.dumps(plan_to_dict(plan)))) == plan
    (item, *_) = plan.passed_over
    line = f"[Step {item.step_index + 1:02d}] PASSED OVER: {item.error_type.name} has no wording"
    assert any(shown.startswith(line) for shown in simulation_log(plan))
    assert not any(plan_take(take, profile=ALONE, seed=seed).passed_over for seed in range(20))
