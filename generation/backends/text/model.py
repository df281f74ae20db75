"""The interface to a text model: one request in, one answer out, or an exception of the tree.

An adapter asks once. Repeating, limiting and recording are done around it, so that an adapter
holds nothing but the words of its protocol.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Protocol

DEFAULT_TIMEOUT_S = 120.0


class ApiStyle(StrEnum):
    """Which of the two protocols of OpenAI-compatible servers an endpoint speaks."""

    CHAT = "chat"
    RESPONSES = "responses"


class ReasoningEffort(StrEnum):
    """How long a model thinks before it answers, in OpenAI's words; a server may know fewer."""

    NONE = "none"
    MINIMAL = "minimal"
    LOW = "low"
    MEDIUM = "medium"
    HIGH = "high"
    XHIGH = "xhigh"
    MAX = "max"


class ImageDetail(StrEnum):
    """How closely a model looks at pictures, in OpenAI's words; more detail costs more tokens."""

    AUTO = "auto"
    LOW = "low"
    HIGH = "high"
    ORIGINAL = "original"


class FinishReason(StrEnum):
    """Why the model stopped: done, out of tokens, or unwilling."""

    STOP = "stop"
    LENGTH = "length"
    REFUSAL = "refusal"


@dataclass(frozen=True, slots=True)
class Image:
    """A picture that goes with a prompt; the caption stands before it."""

    jpeg: bytes
    caption: str


@dataclass(frozen=True, slots=True)
class TextRequest:
    """What is asked.

    `schema` is a JSON schema that strict mode accepts (see `strict_schema`), None for plain text.
    `temperature` None leaves it to the model; some models take no other. `repeat` tells apart
    requests that are the same word for word and want answers of their own.
    """

    system: str
    prompt: str
    prompt_version: str
    schema: Mapping[str, Any] | None = None
    images: tuple[Image, ...] = ()
    temperature: float | None = None
    max_tokens: int = 8000
    repeat: int = 0


@dataclass(frozen=True, slots=True)
class TextAnswer:
    """What came back; `parsed` is the JSON of the text where a schema was given, else None.

    `model` is the name that the server answered with. Token counts are the server's own, 0 where
    it gives none.
    """

    text: str
    parsed: Any
    model: str
    tokens_in: int
    tokens_out: int
    seconds: float
    finish_reason: FinishReason


# What answers: a model, or the recorded answers of one.
AskModel = Callable[[TextRequest], TextAnswer]


@dataclass(frozen=True, slots=True)
class ModelSettings:
    """How to reach a model; an adapter reads what concerns it.

    `reasoning_effort` None leaves it to the model.
    """

    base_url: str = ""
    model: str = ""
    api_key: str = field(default="", repr=False)
    api_style: ApiStyle = ApiStyle.CHAT
    supports_images: bool = False
    reasoning_effort: ReasoningEffort | None = None
    image_detail: ImageDetail = ImageDetail.LOW
    timeout_s: float = DEFAULT_TIMEOUT_S


class TextModel(Protocol):
    """One model of one endpoint."""

    def complete(
        self, request: TextRequest, *, hang_up: Callable[[], None] | None = None
    ) -> TextAnswer:
        """Ask once and return the answer; raises a `ModelError` where there is none to use.

        `hang_up` is called now and then while the answer is on its way; what it raises ends the
        request, whose answer is then lost and may have been paid for.
        """
