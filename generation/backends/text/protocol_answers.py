"""Read the answers of OpenAI-compatible servers, in either protocol.

The document is read as plain JSON: the classes of the client library cost more than parsing, and
silently accept values of another type than they declare. Here such values count as missing. Texts
are cut to what can be stored.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from generation.backends.exceptions import RateLimitedError, RejectedError, ServerFailedError
from generation.backends.server_text import storable
from generation.backends.text.model import ApiStyle, FinishReason

NOT_THE_PROTOCOL = "this is not an answer of the protocol; is the base URL right?"
MODEL_CHARACTERS = 200
MOST_TOKENS = 2**31 - 1
_OUT_OF_TOKENS = frozenset({"length", "max_output_tokens"})

# Codes of temporary errors. Source: `ResponseError.code` of the `openai` package; the names that
# end in _error are from other servers with the protocol.
RATE_CODES = frozenset({"rate_limit_exceeded", "rate_limit_error"})
PASSING_CODES = frozenset({"server_error", "vector_store_timeout", "overloaded_error"})
QUOTA_CODE = "insufficient_quota"
# A code with one of these words means that a policy or a filter refused the request.
_POLICY_WORDS = ("policy", "content_filter", "moderation")
# llama.cpp answers a picture for a model without vision with HTTP 500 and these words.
_NOT_SUPPORTED = "not supported"
_FIRST_STATUS, _LAST_STATUS = 400, 599
_TOO_MANY, _SERVER_STATUS, _NOT_IMPLEMENTED = 429, 500, 501
_BUSY_STATUS = frozenset({408, 409})


@dataclass(frozen=True, slots=True)
class ServerAnswer:
    """A server's answer; `model` is empty and token counts are 0 if the server does not say."""

    text: str
    finish_reason: FinishReason
    model: str
    tokens_in: int
    tokens_out: int


def read_server_answer(
    document: object, style: ApiStyle, *, shown: Callable[[str], str] = storable
) -> ServerAnswer:
    """The content of an answer; `shown` makes a server's error message safe to show.

    Raises RejectedError if it does not follow the protocol, and what `read_server_error` raises if
    it is an error.
    """
    if not isinstance(document, Mapping):
        raise RejectedError(NOT_THE_PROTOCOL)
    is_chat = style is ApiStyle.CHAT
    if document.get("error") and not document.get("choices" if is_chat else "output"):
        return read_server_error(document["error"], shown=shown)
    return _read_chat(document, shown) if is_chat else _read_response(document, shown)


def read_server_error(
    error: object,
    *,
    status: int | None = None,
    retry_after_s: float | None = None,
    shown: Callable[[str], str] = storable,
) -> ServerAnswer:
    """An answer if the error is a model's refusal; raises the exception for any other error.

    If its code is a number, it is the HTTP status of another server behind this one. `status` is
    the HTTP status of the answer, None for an error in an answer with a good status.
    """
    parts = _object(error)
    code, kind = parts.get("code"), _text(parts.get("type"))
    words = _text(parts.get("message")) or _text(error) or "no reason given"
    if status is None and isinstance(code, int) and _FIRST_STATUS <= code <= _LAST_STATUS:
        status = code
    names = {_text(code), kind}
    name = f" ({_text(code) or kind})" if any(names) else ""
    message = shown(f"HTTP {status}: {words}" if status else f"the server gave up: {words}{name}")
    reasons = _object(parts.get("metadata")).get("reasons")
    if reasons or any(word in name for name in names for word in _POLICY_WORDS):
        return ServerAnswer(message, FinishReason.REFUSAL, model="", tokens_in=0, tokens_out=0)
    # Out of credit has the status of too many requests, but waiting does not help.
    if QUOTA_CODE in names:
        raise RejectedError(message)
    if status == _TOO_MANY or (status is None and names & RATE_CODES):
        raise RateLimitedError(message, retry_after_s=retry_after_s)
    if status == _NOT_IMPLEMENTED or _NOT_SUPPORTED in words.lower():
        raise RejectedError(message)
    may_pass = bool(names & PASSING_CODES) if status is None else status >= _SERVER_STATUS
    if may_pass or status in _BUSY_STATUS:
        raise ServerFailedError(message, retry_after_s=retry_after_s)
    raise RejectedError(message)


def _read_chat(document: Mapping[str, Any], shown: Callable[[str], str]) -> ServerAnswer:
    choice = next(_objects(document.get("choices")), None)
    if choice is None:
        raise RejectedError(NOT_THE_PROTOCOL)
    if choice.get("finish_reason") == "error":
        error = choice.get("error") or document.get("error") or {"code": "server_error"}
        return read_server_error(error, shown=shown)
    message, usage = _object(choice.get("message")), _object(document.get("usage"))
    refusal = _text(message.get("refusal"))
    return ServerAnswer(
        text=refusal or _text(message.get("content")),
        finish_reason=_finish_reason(choice.get("finish_reason"), refusal),
        model=_text(document.get("model"))[:MODEL_CHARACTERS],
        tokens_in=_token_count(usage.get("prompt_tokens")),
        tokens_out=_token_count(usage.get("completion_tokens")),
    )


def _read_response(document: Mapping[str, Any], shown: Callable[[str], str]) -> ServerAnswer:
    if document.get("status") == "failed":
        return read_server_error(document.get("error"), shown=shown)
    if not isinstance(document.get("output"), list):
        raise RejectedError(NOT_THE_PROTOCOL)
    items = list(_objects(document["output"]))
    parts = [part for item in items for part in _objects(item.get("content"))]
    refusal = "".join(_text(part.get("refusal")) for part in parts if part.get("type") == "refusal")
    text = "".join(_text(part.get("text")) for part in parts if part.get("type") == "output_text")
    usage = _object(document.get("usage"))
    reason = _object(document.get("incomplete_details")).get("reason")
    return ServerAnswer(
        text=refusal or text,
        finish_reason=_finish_reason(reason, refusal),
        model=_text(document.get("model"))[:MODEL_CHARACTERS],
        tokens_in=_token_count(usage.get("input_tokens")),
        tokens_out=_token_count(usage.get("output_tokens")),
    )


def _finish_reason(stated: object, refusal: str) -> FinishReason:
    if refusal or stated == "content_filter":
        return FinishReason.REFUSAL
    # As a text, because a list or object of a faulty server cannot be looked up in a set.
    return FinishReason.LENGTH if str(stated) in _OUT_OF_TOKENS else FinishReason.STOP


def _object(stated: object) -> Mapping[str, Any]:
    return stated if isinstance(stated, Mapping) else {}


def _objects(stated: object) -> Iterator[Mapping[str, Any]]:
    items = stated if isinstance(stated, list) else []
    return (item for item in items if isinstance(item, Mapping))


def _text(stated: object) -> str:
    return storable(stated) if isinstance(stated, str) else ""


def _token_count(stated: object) -> int:
    return max(0, min(stated, MOST_TOKENS)) if isinstance(stated, int) else 0
