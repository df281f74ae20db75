"""A model that says what it is told to, misbehaviour included: for tests of what asks it.

A script is a list of acts, played in order; the last one is repeated. An act is an object
with `do` and what belongs to it:

  answer       `text`, or `parsed` (any JSON; right schema with wrong content is written so)
  timeout, connection, server_error
  rate_limit   `retry_after_s`, or none
  reject       a request that the server will not take
  refuse, empty, truncate, not_json, wrong_schema

`match` on an act restricts it to prompts that contain the text.
"""

import json
import threading
from collections.abc import Callable, Mapping
from typing import Any

from generation.backends.exceptions import RateLimitedError, RejectedError, ServerFailedError
from generation.backends.text.answers import checked_answer
from generation.backends.text.exceptions import ConnectionFailedError, NoAnswerInTimeError
from generation.backends.text.model import (
    FinishReason,
    TextAnswer,
    TextRequest,
)

NAME = "scripted"
# About so many characters make a token of English.
CHARACTERS_PER_TOKEN = 4

_TEXTS = {
    "refuse": "I cannot help with that.",
    "empty": "",
    "truncate": '{"final_steps": ["Get a b',
    "not_json": "Here is the procedure: get a bowl.",
    "wrong_schema": '{"nothing": "that was asked for"}',
}
_FINISH = {"refuse": FinishReason.REFUSAL, "truncate": FinishReason.LENGTH}


class ScriptError(ValueError):
    """The script is not a list of acts; the message names the act and what is wrong with it."""


class ScriptedModel:
    """Plays acts; `requests` keeps what it was asked."""

    def __init__(self, acts: list[Mapping[str, Any]]) -> None:
        if not acts or not all(isinstance(act, Mapping) and "do" in act for act in acts):
            raise ScriptError("a script is a list of at least one act, each with `do`")
        self.requests: list[TextRequest] = []
        self._acts = list(acts)
        self._lock = threading.Lock()

    def complete(
        self, request: TextRequest, *, hang_up: Callable[[], None] | None = None
    ) -> TextAnswer:
        """Play the next act that fits the prompt."""
        with self._lock:
            self.requests.append(request)
            act = self._next_act(request)
        _raise_failure(act)
        return checked_answer(request, _answer(act, request))

    def _next_act(self, request: TextRequest) -> Mapping[str, Any]:
        fitting = [act for act in self._acts if act.get("match", "") in request.prompt]
        if not fitting:
            raise ScriptError(f"no act fits the prompt {request.prompt[:80]!r}")
        if len(fitting) > 1:
            self._acts.remove(fitting[0])
        return fitting[0]


def _raise_failure(act: Mapping[str, Any]) -> None:
    match act["do"]:
        case "timeout":
            raise NoAnswerInTimeError("no answer within the time-out")
        case "connection":
            raise ConnectionFailedError("no connection: the server hung up")
        case "server_error":
            raise ServerFailedError("HTTP 500: internal error")
        case "rate_limit":
            raise RateLimitedError(
                "HTTP 429: too many requests", retry_after_s=act.get("retry_after_s")
            )
        case "reject":
            raise RejectedError("HTTP 400: the request is not accepted")


def _answer(act: Mapping[str, Any], request: TextRequest) -> TextAnswer:
    name = act["do"]
    if name == "answer":
        text = act["text"] if "text" in act else json.dumps(act["parsed"])
    elif name in _TEXTS:
        text = _TEXTS[name]
    else:
        raise ScriptError(
            f"do is {name!r}; expected answer, a failure or one of {', '.join(_TEXTS)}"
        )
    return TextAnswer(
        text=text,
        parsed=None,
        model=NAME,
        tokens_in=(len(request.system) + len(request.prompt)) // CHARACTERS_PER_TOKEN,
        tokens_out=len(text) // CHARACTERS_PER_TOKEN,
        seconds=0.0,
        finish_reason=_FINISH.get(name, FinishReason.STOP),
    )
