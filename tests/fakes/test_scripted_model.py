import pytest

from generation.backends.exceptions import RateLimitedError, RejectedError, ServerFailedError
from generation.backends.text import exceptions
from tests.fakes.scripted_model import ScriptedModel, ScriptError
from tests.generation.backends.text.conftest import PLAIN, WITH_SCHEMA


def test_acts_are_played_in_order_and_the_last_again():
    model = ScriptedModel([{"do": "answer", "text": word} for word in ("one", "two")])

    texts = [model.complete(PLAIN).text for _ in range(3)]

    assert texts == ["one", "two", "two"]


def test_act_with_match_waits_for_its_prompt():
    acts = [
        {"do": "answer", "text": "soup", "match": "soup"},
        {"do": "answer", "text": "step", "match": "step"},
    ]

    assert ScriptedModel(acts).complete(PLAIN).text == "step"


@pytest.mark.parametrize(
    ("do", "error"),
    [
        ("timeout", exceptions.NoAnswerInTimeError),
        ("connection", exceptions.ConnectionFailedError),
        ("server_error", ServerFailedError),
        ("rate_limit", RateLimitedError),
        ("reject", RejectedError),
        ("refuse", exceptions.ModelRefusedError),
        ("empty", exceptions.EmptyAnswerError),
        ("truncate", exceptions.TruncatedError),
        ("not_json", exceptions.NotJsonError),
        ("wrong_schema", exceptions.WrongSchemaError),
    ],
)
def test_each_misbehaviour_raises_its_error(do, error):
    with pytest.raises(error):
        ScriptedModel([{"do": do}]).complete(WITH_SCHEMA)


def test_right_schema_with_wrong_content_is_an_answer():
    acts = [{"do": "answer", "parsed": {"steps": ["Fly to the moon"]}}]

    answer = ScriptedModel(acts).complete(WITH_SCHEMA)

    assert answer.parsed == {"steps": ["Fly to the moon"]}


@pytest.mark.parametrize("acts", [[], [{}], ["answer"]])
def test_what_is_no_script_is_refused(acts):
    with pytest.raises(ScriptError, match="at least one act"):
        ScriptedModel(acts)


def test_unknown_act_is_refused():
    with pytest.raises(ScriptError, match="do is 'dance'"):
        ScriptedModel([{"do": "dance"}]).complete(PLAIN)
