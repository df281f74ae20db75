from dataclasses import replace

from annotation.engine.taxonomy import ErrorType
from generation.engine.corrections.simulation import correct_plan
from generation.engine.planner.decisions import DecisionTrace
from generation.engine.planner.files.plan_json import plan_from_dict, plan_to_dict
from generation.engine.planner.planning import plan_take
from generation.engine.planner.profiles import PIEV
from generation.engine.planner.taxonomy import Phase
from tests.engine.corrections.plans import error_at, plan_with
from tests.engine.planner.procedures import ALONE, TEA, procedure_of

PROCEDURE = procedure_of(*TEA * 3)


def acting(profile, probability):
    base = {kind: dict.fromkeys(Phase, probability) for kind in ErrorType.registered()}
    factors = dict.fromkeys(profile.corrections.action.severity_factors, 2.0)
    action = replace(profile.corrections.action, base=base, severity_factors=factors)
    return replace(profile, corrections=replace(profile.corrections, action=action))


def test_corrected_plan_keeps_the_errors_and_numbers_the_corrections():
    numbers = set()
    for seed in range(40):
        plan = plan_take(PROCEDURE, profile=PIEV, seed=seed)
        corrected = correct_plan(plan, profile=acting(PIEV, 1.0), seed=seed)
        numbers.add(len(corrected.corrections))
        assert replace(corrected, corrections=None, noticed_not_acted=None) == plan
        assert corrected.noticed_not_acted == ()
        assert [item.correction_id for item in corrected.corrections] == [
            f"take-1_corr_{number}" for number in range(len(corrected.corrections))
        ]

    assert {0, 1, 2} <= numbers


def test_errors_noticed_and_not_acted_upon_are_recorded():
    error = error_at(2, ErrorType.WRONG_EXECUTION, phase=Phase.INITIATION)
    plan = plan_with(PROCEDURE, error)
    never = acting(ALONE, 0.0)

    corrected = [correct_plan(plan, profile=never, seed=seed) for seed in range(30)]

    assert all(item.corrections == () for item in corrected)
    noticed = [record for item in corrected for record in item.noticed_not_acted]
    # 0.85 x 1.05 x 1.15 x load: seen more often than not, though not every time.
    assert 15 < len(noticed) <= 30
    assert {record.target_event_id for record in noticed} == {"E01"}
    assert {record.act_probability for record in noticed} == {0.0}
    assert {record.detect_at_step_index - record.latency_steps for record in noticed} == {2}


def test_corrections_repeat_with_the_seed_and_change_with_it():
    plan = plan_take(PROCEDURE, profile=PIEV, seed=8)

    corrected = [correct_plan(plan, profile=PIEV, seed=seed) for seed in (1, 1, 2, 3, 4, 5)]

    assert corrected[0] == corrected[1]
    assert len({str(item.corrections) for item in corrected}) > 1


def test_corrections_of_piev_are_at_steps_that_exist():
    for seed in range(300):
        plan = plan_take(PROCEDURE, profile=PIEV, seed=seed)
        corrected = correct_plan(plan, profile=PIEV, seed=seed)
        deleted = {e.step_index for e in plan.errors if e.error_type is ErrorType.DELETION}
        at = {error.event_id: error.step_index for error in plan.errors}
        detected = [item.detect_at_step_index for item in corrected.corrections]
        assert len(set(detected)) == len(detected)
        for item in corrected.corrections:
            own = at[item.target_event_id]
            # Noticed where the person is: the true wait, never cut at the last step.
            assert item.detect_at_step_index == own + item.latency_steps
            assert item.detect_at_step_index not in deleted - {own}
            assert item.redo_step_index not in deleted - {own}


def test_trace_records_the_decisions_of_each_error_and_changes_nothing():
    plan, trace = plan_take(PROCEDURE, profile=PIEV, seed=8), DecisionTrace()

    corrected = correct_plan(plan, profile=PIEV, seed=8, trace=trace)

    assert corrected == correct_plan(plan, profile=PIEV, seed=8)
    assert {item.event_id for item in trace.decisions} == {item.event_id for item in plan.errors}
    noticed = next(item for item in trace.decisions if item.what == "noticed")
    assert set(noticed.options) == {
        *("base", "severity", "essential", "predicate", "load", "probability"),
    }


def test_corrections_are_the_same_after_writing_and_reading_the_plan():
    plan = plan_take(PROCEDURE, profile=PIEV, seed=8)

    read = plan_from_dict(plan.take_uid, plan_to_dict(plan))

    assert correct_plan(read, profile=PIEV, seed=3) == correct_plan(plan, profile=PIEV, seed=3)
