"""Check the text that a model sent: a usable answer, or the error that says why not."""

import json
from dataclasses import replace
from typing import Any

from generation.backends.server_text import is_storable
from generation.backends.text.exceptions import (
    EmptyAnswerError,
    ModelRefusedError,
    NotJsonError,
    TruncatedError,
    WrongSchemaError,
)
from generation.backends.text.model import FinishReason, TextAnswer, TextRequest
from generation.backends.text.schema_fit import certainly_fits

SHOWN_CHARACTERS = 120


def checked_answer(request: TextRequest, answer: TextAnswer) -> TextAnswer:
    """The answer with its JSON read; raises an UnusableAnswerError with the answer in it.

    An endpoint may accept a schema and not obey it, so the answer is validated here.
    """
    if answer.finish_reason is FinishReason.REFUSAL:
        raise ModelRefusedError(f"the model refused: {_shown(answer.text)}", answer=answer)
    if answer.finish_reason is FinishReason.LENGTH:
        raise TruncatedError(
            f"the answer was cut off after {answer.tokens_out} output tokens; the limit is"
            f" {request.max_tokens}, thinking included",
            answer=answer,
        )
    if not answer.text.strip():
        raise EmptyAnswerError("the answer has no text", answer=answer)
    if request.schema is None:
        return answer
    try:
        parsed = json.loads(answer.text, parse_constant=_refuse_constant)
    except (ValueError, RecursionError) as error:
        reason = error if isinstance(error, ValueError) else "nested too deeply"
        raise NotJsonError(f"{reason}, in {_shown(answer.text)}", answer=answer) from error
    # Only an escape can bring in a character that the text itself does not contain.
    if not is_storable(parsed if "\\u" in answer.text else answer.text):
        reason = f"a NUL or half a character cannot be kept, in {_shown(answer.text)}"
        raise NotJsonError(reason, answer=answer)
    read = replace(answer, parsed=parsed)
    if certainly_fits(request.schema, parsed):
        return read
    # Rarely needed, so processes should not load it when they start.
    from jsonschema import Draft202012Validator  # noqa: PLC0415

    fault = next(iter(Draft202012Validator(request.schema).iter_errors(parsed)), None)
    if fault is not None:
        raise WrongSchemaError(f"{fault.json_path}: {_shown(fault.message)}", answer=read)
    return read


def _refuse_constant(name: str) -> Any:
    raise ValueError(f"{name} is no JSON")


def _shown(text: str) -> str:
    shown = " ".join(text.split())
    return shown if len(shown) <= SHOWN_CHARACTERS else f"{shown[: SHOWN_CHARACTERS - 1]}…"
