"""What a real model behind llama.cpp's server answers, with the adapter and with a command."""

import signal
from dataclasses import replace
from io import BytesIO

import pytest
from PIL import Image as Picture

from generation.backends.exceptions import RejectedError
from generation.backends.text.adapters.openai import build
from generation.backends.text.exceptions import NotJsonError, TruncatedError
from generation.backends.text.model import ApiStyle, Image, ModelSettings, TextRequest
from tests.generation.management.test_long_commands import (  # fixtures among them
    LIMIT_S,
    attempts,
    made_state,  # noqa: F401
    plan_path,  # noqa: F401
    set_endpoint,
    start,
    state,  # noqa: F401
)
from tests.small_model import small_model

SCHEMA = {
    "type": "object",
    "properties": {"word": {"type": "string", "enum": ["ready", "steady"]}},
    "required": ["word"],
    "additionalProperties": False,
}
READY = TextRequest(
    system="You answer in JSON.",
    prompt='Put the word "ready" into the field "word".',
    prompt_version="t1",
    schema=SCHEMA,
    temperature=0.0,
    max_tokens=60,
)
STORY = replace(READY, schema=None, prompt="Write a long story about tea.")
STYLES = list(ApiStyle)


@pytest.fixture(scope="module")
def url():
    with small_model() as address:
        yield address


def model_at(url, **changes):
    return build(ModelSettings(base_url=url, model="smollm2", timeout_s=LIMIT_S, **changes))


def test_chat_keeps_to_a_strict_schema(url):
    answer = model_at(url).complete(READY)

    assert answer.parsed["word"] in {"ready", "steady"}
    assert answer.tokens_in > 0
    assert 0 < answer.tokens_out < READY.max_tokens


@pytest.mark.parametrize("style", STYLES)
def test_answer_that_is_cut_off_is_told_so(url, style):
    with pytest.raises(TruncatedError, match="after 12 output tokens; the limit is 12"):
        model_at(url, api_style=style).complete(replace(STORY, max_tokens=12))


def test_responses_ignore_the_schema_which_is_found_out(url):
    """Why chat is recommended for it; passes no more once the server minds the schema."""
    with pytest.raises((NotJsonError, TruncatedError)):
        model_at(url, api_style=ApiStyle.RESPONSES).complete(READY)


@pytest.mark.parametrize("style", STYLES)
def test_picture_for_a_model_without_eyes_is_refused_for_good(url, style):
    jpeg = BytesIO()
    Picture.new("RGB", (64, 48), "red").save(jpeg, "JPEG")
    seen = replace(READY, images=(Image(jpeg.getvalue(), "Step 3"),))

    with pytest.raises(RejectedError, match="image input is not supported"):
        model_at(url, api_style=style, supports_images=True).complete(seen)


def test_command_that_is_ended_lets_go_of_the_model_and_the_next_one_has_it(
    url,
    tmp_path,
    plan_path,  # noqa: F811 - the fixture
    state,  # noqa: F811 - the fixture
):
    set_endpoint(state, url, concurrency=1)
    command = ["write", plan_path, "--model", "Local", "--out", tmp_path / "out.json"]

    for number in (1, 2):
        process = start(state, *command)
        while len(attempts(state)) < number:
            assert process.poll() is None, process.communicate()
        process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=LIMIT_S)

        assert process.returncode == 130
        # Who had to wait for a lease would have said so.
        assert said.startswith("CommandError: stopped by Ctrl+C. 0 of ")

    assert attempts(state) == [("lost", 0)] * 2
    # The server works on nothing that nobody waits for.
    assert model_at(url).complete(READY).parsed["word"] in {"ready", "steady"}
