import pytest

from generation.engine.prompting.semrep import read_semreps, semrep_prompt

ITEMS = {"a1": 'Get a 9" pan', "b2": "Rühren"}
GOOD = {"id": "a1", "text": 'Get a 9" pan', "representation": " GET(Agent: you, Object: pan) "}
OTHER = {"id": "b2", "text": "Rühren", "representation": "STIR(Agent: you)"}


def test_prompt_shows_ids_and_texts_as_json():
    text = semrep_prompt(ITEMS).text

    assert '{"id": "a1", "text": "Get a 9\\" pan"}\n{"id": "b2", "text": "Rühren"}' in text
    assert "only where the text names them: Coobject, Location" in text


def test_representations_are_taken_by_id():
    reading = read_semreps(ITEMS, {"items": [OTHER, GOOD]})

    assert reading.by_id == {"a1": "GET(Agent: you, Object: pan)", "b2": "STIR(Agent: you)"}
    assert reading.problems == ()


@pytest.mark.parametrize(
    ("row", "problem"),
    [
        ({**GOOD, "id": "a2"}, "a2: this id was not in the question"),
        (
            {**GOOD, "text": "Get a 9 pan"},
            "a1: the text is 'Get a 9 pan'; expected 'Get a 9\" pan'",
        ),
        ({**GOOD, "representation": "get the pan"}, "a1: semantic representation 'get the pan'"),
        ({**GOOD, "representation": "GET(Object: pan"}, "a1: "),
    ],
)
def test_row_that_cannot_be_trusted_is_left_out_with_its_reason(row, problem):
    reading = read_semreps(ITEMS, {"items": [row, OTHER]})

    assert reading.by_id == {"b2": "STIR(Agent: you)"}
    assert reading.problems[0].startswith(problem)
    assert reading.problems[-1] == "a1: not answered"


def test_second_answer_to_an_id_is_left_out():
    again = {**GOOD, "representation": "TAKE(Object: pan)"}

    reading = read_semreps(ITEMS, {"items": [GOOD, again, OTHER]})

    assert reading.by_id["a1"] == "GET(Agent: you, Object: pan)"
    assert reading.problems == ("a1: answered twice",)
