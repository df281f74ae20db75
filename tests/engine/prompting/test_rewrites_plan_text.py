import pytest

from annotation.engine.taxonomy import ErrorType
from generation.engine.prompting.rewrites import corrections_text, errors_text, steps_text
from tests.engine.rewriting.plans import correction, error, plan_of, swap, wrong

STEPS = [("Get a bowl", "GET(Agent: you, Object: bowl)"), "Add salt", "Stir it", "Serve it"]


def test_steps_have_index_weight_phase_text_and_meaning():
    lines = steps_text(plan_of(STEPS)).splitlines()

    assert lines[0] == "  0* [beginning] Get a bowl  GET(Agent: you, Object: bowl)"
    assert lines[1] == "  1* [beginning] Add salt"


@pytest.mark.parametrize(
    ("planned", "line"),
    [
        (
            wrong("E01", 0, Object="entity", Manner="attribute"),
            "- E01: wrong_execution at step 0, severity medium: keep the action; change Object: "
            "another thing in its place; change Manner: a quality or amount of it",
        ),
        (
            wrong("E01", 0),
            "- E01: wrong_execution at step 0, severity medium: keep the action; change one detail "
            "that matters",
        ),
        (
            error(
                "E02",
                ErrorType.SUBSTITUTION,
                1,
                original_predicate="ADD",
                original_object="salt",
                substitution_strategies=["change_object_keep_predicate"],
            ),
            "- E02: substitution at step 1, severity medium: instead of ADD salt; take the same "
            "action on another thing; best one that belongs to 'Block'",
        ),
        (
            error("E03", ErrorType.INSERTION, 2),
            "- E03: insertion at step 2, severity medium: put it just before step 2",
        ),
        (
            {**error("E04", ErrorType.DELETION, 0), "requires_correction": True}
            | {"correction_before_step_index": 2, "alternate_src_indices": [1, 3]},
            "- E04: deletion at step 0, severity medium: leave the step out; where that is "
            "impossible, step 1 or 3 instead; what it brings is needed at step 2",
        ),
        (
            swap("E05", 1, 2),
            "- E05: transposition at step 1, severity medium: swap the steps 1 and 2",
        ),
    ],
)
def test_prompt_has_every_parameter_of_a_mistake(planned, line):
    assert errors_text(plan_of(STEPS, [planned])) == line


@pytest.mark.parametrize(
    ("kind", "fields", "line"),
    [
        (
            "rollback_and_redo",
            {"rollback_steps": 1, "redo_step_index": 0},
            "take back what was done since, and do the step again; go back 1 steps; "
            "do step 0 again",
        ),
        (
            "stop_and_fix",
            {"rollback_steps": 0, "redo_step_index": 0},
            "stop and put right what was done wrongly; go back 0 steps; do step 0 again",
        ),
        (
            "restore_order",
            {"restore_order_pair": [0, 1]},
            "put the result into the order that it should have had; steps 0 and 1 were swapped",
        ),
        (
            "reacquire_missing_object_before_use",
            {
                "missing_object": "bowl",
                "missing_from_step_index": 0,
                "insert_before_step_index": 1,
            },
            "fetch what is missing, before it is needed; fetch bowl; missing since step 0; put it "
            "before step 1",
        ),
    ],
)
def test_prompt_has_the_place_of_a_correction_also_step_zero(kind, fields, line):
    planned = correction("E01", ErrorType.WRONG_EXECUTION, kind, 0, **fields)
    plan = plan_of(STEPS, [wrong("E01", 0)], [planned])

    assert corrections_text(plan) == f"- c-E01 repairs E01, noticed after step 0: {line}"


def test_plan_without_events_says_so():
    plan = plan_of(STEPS)

    assert (errors_text(plan), corrections_text(plan)) == ("(none)", "(none)")
