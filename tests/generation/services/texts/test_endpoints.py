import pytest

from generation.services.texts.endpoints import try_text_endpoint
from tests.fakes.openai_server import OpenAiServer
from tests.generation.text_endpoints import make_endpoint


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(
    ("act", "told"),
    [
        ({"do": "answer", "text": '{"word": "Ready."}'}, ("", "")),
        (
            {"do": "answer", "text": '{"word": "banana"}'},
            ("WrongContent", 'the model should have said "ready"'),
        ),
        (
            {"do": "echo_key"},
            ("RejectedError", "HTTP 401: Incorrect API key: Bearer [key]"),
        ),
        ({"do": "server_error"}, ("ServerFailedError", "HTTP 500: The server had an error")),
    ],
)
def test_trial_says_what_happened_after_one_request(owner, act, told):
    with OpenAiServer([act]) as server:
        result = try_text_endpoint(endpoint=make_endpoint(server.url), actor=owner)

    assert (result.error_kind, result.error) == told
    assert result.is_ok is (told == ("", ""))
    assert len(server.asked) == 1


@pytest.mark.django_db(transaction=True)
def test_trial_asks_anew_each_time(owner):
    with OpenAiServer([{"do": "answer", "text": '{"word": "ready"}'}]) as server:
        endpoint = make_endpoint(server.url)
        results = [try_text_endpoint(endpoint=endpoint, actor=owner).is_ok for _ in range(2)]

    assert (results, len(server.asked)) == ([True, True], 2)


@pytest.mark.django_db(transaction=True)
def test_trial_with_a_key_of_another_secret_says_so(owner, settings):
    endpoint = make_endpoint()
    settings.SECRET_KEY = "another"

    result = try_text_endpoint(endpoint=endpoint, actor=owner)

    assert result.error_kind == "UnreadableKeyError"
