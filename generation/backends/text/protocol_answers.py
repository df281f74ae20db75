"""Read what an OpenAI-compatible server answered, in either protocol.

The document is walked as the plain JSON that it is: the classes of the client library cost more
than reading the JSON, and take what is of another type than they state without a word. Here that
counts as not said. What the server says of itself is cut to what can be kept.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from generation.backends.server_text import storable
from generation.backends.text.exceptions import RejectedError, ServerFailedError
from generation.backends.text.model import ApiStyle, FinishReason

NOT_THE_PROTOCOL = "what came back is not an answer of the protocol; is the base URL right?"
MODEL_CHARACTERS = 200
MOST_TOKENS = 2**31 - 1
_OUT_OF_TOKENS = frozenset({"length", "max_output_tokens"})


@dataclass(frozen=True, slots=True)
class Told:
    """What an answer says; `model` is empty and token counts are 0 where the server is silent."""

    text: str
    finish_reason: FinishReason
    model: str
    tokens_in: int
    tokens_out: int


def told_by(document: object, style: ApiStyle) -> Told:
    """Return what an answer says.

    Raises RejectedError where it is none of the protocol, and ServerFailedError where the server
    says that it gave up.
    """
    if not isinstance(document, Mapping):
        raise RejectedError(NOT_THE_PROTOCOL)
    return _told_in_chat(document) if style is ApiStyle.CHAT else _told_in_response(document)


def _told_in_chat(document: Mapping[str, Any]) -> Told:
    choice = next(_objects(document.get("choices")), None)
    if choice is None:
        raise RejectedError(NOT_THE_PROTOCOL)
    message, usage = _object(choice.get("message")), _object(document.get("usage"))
    refusal = _text(message.get("refusal"))
    return Told(
        text=refusal or _text(message.get("content")),
        finish_reason=_finish_reason(choice.get("finish_reason"), refusal),
        model=_text(document.get("model"))[:MODEL_CHARACTERS],
        tokens_in=_token_count(usage.get("prompt_tokens")),
        tokens_out=_token_count(usage.get("completion_tokens")),
    )


def _told_in_response(document: Mapping[str, Any]) -> Told:
    if not isinstance(document.get("output"), list):
        raise RejectedError(NOT_THE_PROTOCOL)
    if document.get("status") == "failed":
        words = _text(_object(document.get("error")).get("message")) or "no reason given"
        raise ServerFailedError(f"the server gave up: {words}")
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
