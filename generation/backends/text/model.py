"""The interface to a text model: one request in, one answer out, or a `CallError`.

An adapter asks once. Retrying, limiting and recording are done around it, so that an adapter
contains nothing but its protocol.
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
    """How much a model reasons before it answers, in OpenAI's words; a server may know fewer."""

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
    """Why the model stopped: finished, out of tokens, or refusing."""

    STOP = "stop"
    LENGTH = "length"
    REFUSAL = "refusal"


@dataclass(frozen=True, slots=True)
class Image:
    """A picture that is sent with a prompt, after its caption."""

    jpeg: bytes
    caption: str


@dataclass(frozen=True, slots=True)
class TextRequest:
    """A question to a model.

    `schema` is a JSON schema that strict mode accepts (see `strict_schema`), None for plain text.
    `temperature` None leaves it to the model; some models refuse any other. `repeat` distinguishes
    requests with the same words that need separate answers.
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
    """A model's answer; `parsed` is the JSON of the text if a schema was given, else None.

    `model` is the name in the server's answer. Token counts are the server's own, 0 if it gives
    none.
    """

    text: str
    parsed: Any
    model: str
    tokens_in: int
    tokens_out: int
    seconds: float
    finish_reason: FinishReason


# A function that answers requests: from a model, or from the recorded answers of one.
AskModel = Callable[[TextRequest], TextAnswer]


@dataclass(frozen=True, slots=True)
class ModelSettings:
    """How to reach a model; an adapter reads the settings that it needs.

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
        """Ask once and return the answer; raises a `ModelError` if there is no usable one.

        `hang_up` is called now and then while the answer is on its way; if it raises, that ends the
        request, whose answer is then lost and may have been paid for.
        """
