import pytest

from generation.engine.prompting.rewrites import (
    corrections_text,
    errors_text,
    steps_text,
    writer_prompt,
)
from generation.engine.prompting.schemas import rewrite_schema
from tests.engine.rewriting.plans import plan_of, published_plans, wrong

PLAN = plan_of(["Get a bowl", "Add salt"], [wrong("E01", 1, Object="entity")], scenario="Tea")


def test_prompt_holds_scenario_steps_and_plan():
    prompt = writer_prompt(PLAN)

    for part in ("Scenario: Tea\n", steps_text(PLAN), errors_text(PLAN), "(none)"):
        assert part in prompt.text
    assert (prompt.version, prompt.schema) == ("writer.v2", rewrite_schema())


def test_take_name_is_not_in_the_prompt():
    assert PLAN.take_name not in writer_prompt(PLAN).text


def test_first_question_speaks_of_no_earlier_answer():
    assert "earlier answer" not in writer_prompt(PLAN).text


def test_repeated_question_says_what_was_wrong():
    prompt = writer_prompt(PLAN, problem="meta row 3: new is 9; expected 0 to 4")

    assert "earlier answer could not be used\n\nmeta row 3: new is 9" in prompt.text


@pytest.mark.shared_data
def test_prompt_has_every_published_plan_in_full(shared_data):
    for plan in published_plans(shared_data):
        text = writer_prompt(plan).text
        assert errors_text(plan) in text
        assert corrections_text(plan) in text
        for error in plan.errors:
            for role in getattr(error.spec, "mutated_roles", ()):
                assert f"change {role}" in errors_text(plan)
        for correction in plan.corrections:
            assert correction.missing_object is None or correction.missing_object in text
