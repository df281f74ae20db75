"""What became of each error of a plan, in words, with the decisions about it."""

from dataclasses import replace

from generation.engine.planner.decisions import Decision
from generation.engine.results.plan_events import planned_events
from generation.engine.stages import Stage
from tests.engine.plans import CORRECTION, NOTICED, PLAN

TYPE_AT_2 = Decision(Stage.PLAN, "error type", "wrong_execution", step_index=2)
NOTICED_E01 = Decision(Stage.CORRECT, "noticed", "True", step_index=2, event_id="E01")
TYPE_AT_5 = Decision(Stage.PLAN, "error type", "transposition", step_index=5)
WHOLE = Decision(Stage.PLAN, "number of errors", "2")


def test_event_holds_outcome_parameters_and_its_own_decisions():
    first, second = planned_events(PLAN, [WHOLE, TYPE_AT_2, TYPE_AT_5, NOTICED_E01])

    assert (first.correction, first.outcome) == (
        CORRECTION,
        "noticed 4 steps later: stop and fix",
    )
    assert (second.noticed, second.outcome) == (NOTICED, "noticed at once, left as it is")
    assert first.decisions == (TYPE_AT_2, NOTICED_E01)
    assert second.decisions == (TYPE_AT_5,)


def test_parameters_count_steps_from_one():
    first, second = planned_events(PLAN, [])

    assert ("mutation scopes", "Object: entity") in first.parameters
    assert ("redo step index", "step 3") in first.correction_parameters
    assert ("latency steps", "4") in first.correction_parameters
    assert ("transposition target", "step 8") in second.parameters


def test_error_that_nobody_notices_is_not_corrected():
    unnoticed = replace(PLAN, corrections=(), noticed_not_acted=())

    assert {event.outcome for event in planned_events(unnoticed, [])} == {"not corrected"}


def test_plan_without_simulated_corrections_says_so():
    planned_only = replace(PLAN, corrections=None, noticed_not_acted=None)

    outcomes = {event.outcome for event in planned_events(planned_only, [])}

    assert outcomes == {"corrections were not simulated"}
