from generation.engine.planner.files.plan_files import procedure_of_plan
from generation.engine.prompting.rewrites import freeform_prompt, published_freeform
from generation.engine.rewriting.freeform.freeform import validate_freeform
from tests.engine.rewriting.plans import plan_of

STEPS = ["Get a bowl", "Add salt", "Stir it"]
ANSWER = {
    "final_steps": ["Get a pot", "Stir it", "Get a bowl"],
    "meta": [
        {"source": 0, "mod": "s", "error_id": "E01", "correction_id": None},
        {"source": 2, "mod": "u", "error_id": None, "correction_id": None},
        {"source": 2, "mod": "c", "error_id": None, "correction_id": "C01"},
    ],
    "del": [{"source": 1, "error_id": "E02"}],
}


def test_prompt_shows_the_steps_and_no_plan():
    text = freeform_prompt(procedure_of_plan(plan_of(STEPS, scenario="Soup"))).text

    assert "Scenario: Soup" in text
    assert "  1* Add salt\n  2* Stir it" in text
    assert "earlier answer" not in text


def test_answer_becomes_the_published_form_and_passes_its_validator():
    published = published_freeform(ANSWER)

    assert published == {
        "final_steps": ANSWER["final_steps"],
        "meta": [[0, "s", "E01", None], [2, "u", None, None], [2, "c", None, "C01"]],
        "del": [[1, "E02"]],
    }
    assert validate_freeform(STEPS, published) == ()
