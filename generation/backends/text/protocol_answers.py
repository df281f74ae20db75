"""Read what an OpenAI-compatible server answered, in either protocol.

The document is walked as the plain JSON that it is: the classes of the client library cost more
than reading the JSON, and take what is of another type than they state without a word. Here that
counts as not said. What the server says of itself is cut to what can be kept.
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

# Codes of errors that may pass. Source: `ResponseError.code` of the `openai` package; the names
# that end in _error are those of other servers of the protocol.
RATE_CODES = frozenset({"rate_limit_exceeded", "rate_limit_error"})
PASSING_CODES = frozenset({"server_error", "vector_store_timeout", "overloaded_error"})
QUOTA_CODE = "insufficient_quota"
# Whatever the code is called, a policy or a filter stood in the way.
_POLICY_WORDS = ("policy", "content_filter", "moderation")
# llama.cpp tells so, with HTTP 500, of a picture that its model cannot see.
_NOT_SUPPORTED = "not supported"
_FIRST_STATUS, _LAST_STATUS = 400, 599
_TOO_MANY, _SERVER_STATUS, _NOT_IMPLEMENTED = 429, 500, 501
_BUSY_STATUS = frozenset({408, 409})


@dataclass(frozen=True, slots=True)
class Told:
    """What an answer says; `model` is empty and token counts are 0 where the server is silent."""

    text: str
    finish_reason: FinishReason
    model: str
    tokens_in: int
    tokens_out: int


def told_by(document: object, style: ApiStyle, *, shown: Callable[[str], str] = storable) -> Told:
    """What an answer says; `shown` makes the server's words of an error fit to be shown.

    Raises RejectedError where it is none of the protocol, and what else `told_by_error` raises
    where the server says that it gave up.
    """
    if not isinstance(document, Mapping):
        raise RejectedError(NOT_THE_PROTOCOL)
    is_chat = style is ApiStyle.CHAT
    if document.get("error") and not document.get("choices" if is_chat else "output"):
        return told_by_error(document["error"], shown=shown)
    return _told_in_chat(document, shown) if is_chat else _told_in_response(document, shown)


def told_by_error(
    error: object,
    *,
    status: int | None = None,
    retry_after_s: float | None = None,
    shown: Callable[[str], str] = storable,
) -> Told:
    """The refusal that the error of a server is; raises what else it is.

    A number as its code is the HTTP status of another server behind this one. `status` is the
    answer's own, None for an error in an answer that came as a good one.
    """
    parts = _object(error)
    code, kind = parts.get("code"), _text(parts.get("type"))
    words = _text(parts.get("message")) or _text(error) or "no reason given"
    if status is None and isinstance(code, int) and _FIRST_STATUS <= code <= _LAST_STATUS:
        status = code
    names = {_text(code), kind}
    name = f" ({_text(code) or kind})" if any(names) else ""
    said = shown(f"HTTP {status}: {words}" if status else f"the server gave up: {words}{name}")
    reasons = _object(parts.get("metadata")).get("reasons")
    if reasons or any(word in name for name in names for word in _POLICY_WORDS):
        return Told(said, FinishReason.REFUSAL, model="", tokens_in=0, tokens_out=0)
    # Out of money looks like too many requests, but waiting does not help.
    if QUOTA_CODE in names:
        raise RejectedError(said)
    if status == _TOO_MANY or (status is None and names & RATE_CODES):
        raise RateLimitedError(said, retry_after_s=retry_after_s)
    if status == _NOT_IMPLEMENTED or _NOT_SUPPORTED in words.lower():
        raise RejectedError(said)
    may_pass = bool(names & PASSING_CODES) if status is None else status >= _SERVER_STATUS
    if may_pass or status in _BUSY_STATUS:
        raise ServerFailedError(said, retry_after_s=retry_after_s)
    raise RejectedError(said)


def _told_in_chat(document: Mapping[str, Any], shown: Callable[[str], str]) -> Told:
    choice = next(_objects(document.get("choices")), None)
    if choice is None:
        raise RejectedError(NOT_THE_PROTOCOL)
    if choice.get("finish_reason") == "error":
        error = choice.get("error") or document.get("error") or {"code": "server_error"}
        return told_by_error(error, shown=shown)
    message, usage = _object(choice.get("message")), _object(document.get("usage"))
    refusal = _text(message.get("refusal"))
    return Told(
        text=refusal or _text(message.get("content")),
        finish_reason=_finish_reason(choice.get("finish_reason"), refusal),
        model=_text(document.get("model"))[:MODEL_CHARACTERS],
        tokens_in=_token_count(usage.get("prompt_tokens")),
        tokens_out=_token_count(usage.get("completion_tokens")),
    )


def _told_in_response(document: Mapping[str, Any], shown: Callable[[str], str]) -> Told:
    if document.get("status") == "failed":
        return told_by_error(document.get("error"), shown=shown)
    if not isinstance(document.get("output"), list):
        raise RejectedError(NOT_THE_PROTOCOL)
    items = list(_objects(document["output"]))
    parts = [part for item in items for part in _objects(item.get("content"))]
    refusal = "".join(_text(part.get("refusal")) for part in parts if part.get("type") == "refusal")
    text = "".join(_text(part.get("text")) for part in parts if part.get("type") == "output_text")
    usage = _object(document.get("usage"))
    reason = _object(document.get("incomplete_details")).get("reason")
    return Told(
        text=refusal or text,
        finish_reason=_finish_reason(reason, refusal),
        model=_text(document.get("model"))[:MODEL_CHARACTERS],
        tokens_in=_token_count(usage.get("input_tokens")),
        tokens_out=_token_count(usage.get("output_tokens")),
    )


def _finish_reason(stated: object, refusal: str) -> FinishReason:
    if refusal or stated == "content_filter":
        return FinishReason.REFUSAL
    # Not every value of JSON can be looked for in a set.
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
