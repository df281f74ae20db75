"""Any OpenAI-compatible endpoint, hosted or your own, by base URL, model and key.

Structured output is requested with a strict JSON schema. If a server refuses the schema, that is an
error: it is never silently left out.
"""

import json
import time
import weakref
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import httpx2

from generation.backends.exceptions import RejectedError, ServerFailedError
from generation.backends.request_guard import (
    OddEncodingError,
    RequestGuard,
    TooLargeError,
    certificates,
)
from generation.backends.retry_after import retry_after_s
from generation.backends.server_text import data_url, readable
from generation.backends.text.answers import checked_answer
from generation.backends.text.exceptions import ConnectionFailedError, NoAnswerInTimeError
from generation.backends.text.model import (
    ApiStyle,
    FinishReason,
    ModelSettings,
    TextAnswer,
    TextRequest,
)
from generation.backends.text.protocol_answers import (
    MOST_TOKENS,
    NOT_THE_PROTOCOL,
    ServerAnswer,
    read_server_answer,
    read_server_error,
)
from generation.backends.text.strict_schema import check_strict_schema

SCHEMA_NAME = "answer"
CONNECT_TIMEOUT_S = 10.0
# Ten times the longest expected answer; a hostile one can need up to 30 times its bytes in memory.
MOST_ANSWER_BYTES = 1_500_000
HEADERS = {
    "accept": "application/json",
    "content-type": "application/json",
    "user-agent": "PIE-V",
}
PATHS = {ApiStyle.CHAT: "/chat/completions", ApiStyle.RESPONSES: "/responses"}


class OpenAiModel:
    """One model of one endpoint; safe to share between threads.

    Every request under way has a client of its own, with one connection, which the next request
    reuses. One shared client would go through all connections, one by one and behind a lock, at the
    beginning and end of every request.
    """

    def __init__(self, settings: ModelSettings) -> None:
        self.settings = settings
        path = PATHS[settings.api_style]
        self._address = httpx2.URL(f"{settings.base_url.rstrip('/')}{path}")
        self._headers = httpx2.Headers(HEADERS)
        if settings.api_key:
            self._headers["authorization"] = f"Bearer {settings.api_key}"
        self._timeout = httpx2.Timeout(settings.timeout_s, connect=CONNECT_TIMEOUT_S)
        self._idle_clients: list[tuple[httpx2.Client, RequestGuard]] = []

    def complete(
        self, request: TextRequest, *, hang_up: Callable[[], None] | None = None
    ) -> TextAnswer:
        if request.schema is not None:
            check_strict_schema(request.schema)
        if request.images and not self.settings.supports_images:
            raise RejectedError(
                f"{self.settings.model} accepts no images; the request has {len(request.images)}"
            )
        started_at = time.monotonic()
        with self._translated_errors():
            received = self._send(request, hang_up)
        finish_reason = received.finish_reason
        # Some servers report a cut-off answer as complete; others report nonsensical counts.
        is_full = request.max_tokens <= received.tokens_out < MOST_TOKENS
        if finish_reason is FinishReason.STOP and is_full:
            finish_reason = FinishReason.LENGTH
        answer = TextAnswer(
            text=received.text,
            parsed=None,
            model=received.model or self.settings.model,
            tokens_in=received.tokens_in,
            tokens_out=received.tokens_out,
            seconds=time.monotonic() - started_at,
            finish_reason=finish_reason,
        )
        return checked_answer(request, answer)

    def _send(self, request: TextRequest, hang_up: Callable[[], None] | None) -> ServerAnswer:
        style = self.settings.api_style
        form = self._chat_form if style is ApiStyle.CHAT else self._responses_form
        # Without the client's merging of addresses, headers and cookies, which costs as much again.
        sent = httpx2.Request(
            "POST",
            self._address,
            headers=self._headers,
            content=json.dumps(form(request), ensure_ascii=False, allow_nan=False).encode(),
            extensions={"timeout": self._timeout.as_dict()},
        )
        with (
            self._client() as (client, guard),
            guard.within(self.settings.timeout_s, MOST_ANSWER_BYTES, hang_up),
        ):
            response = client.send(sent)
        if not response.is_success:
            return read_server_error(
                _stated_error(response),
                status=response.status_code,
                retry_after_s=retry_after_s(response.headers),
                shown=self._shown,
            )
        try:
            answer = response.json()
        except ValueError:
            if "json" in response.headers.get("content-type", ""):
                raise
            # A server behind a wrong base URL often answers with a web page.
            raise RejectedError(NOT_THE_PROTOCOL) from None
        return read_server_answer(answer, style, shown=self._shown)

    def _chat_form(self, request: TextRequest) -> dict[str, Any]:
        content: list[dict[str, Any]] = [{"type": "text", "text": request.prompt}]
        for image in request.images:
            content.append({"type": "text", "text": image.caption})
            picture = {"url": data_url(image.jpeg), "detail": self.settings.image_detail}
            content.append({"type": "image_url", "image_url": picture})
        body: dict[str, Any] = {
            "model": self.settings.model,
            "messages": [
                {"role": "system", "content": request.system},
                # Plain text if there are no images, since not every server accepts a list.
                {"role": "user", "content": content if request.images else request.prompt},
            ],
            "max_completion_tokens": request.max_tokens,
        }
        if request.schema is not None:
            form = {"name": SCHEMA_NAME, "schema": request.schema, "strict": True}
            body["response_format"] = {"type": "json_schema", "json_schema": form}
        if request.temperature is not None:
            body["temperature"] = request.temperature
        if self.settings.reasoning_effort is not None:
            body["reasoning_effort"] = self.settings.reasoning_effort
        return body

    def _responses_form(self, request: TextRequest) -> dict[str, Any]:
        content: list[dict[str, Any]] = [{"type": "input_text", "text": request.prompt}]
        for image in request.images:
            content.append({"type": "input_text", "text": image.caption})
            picture = {"image_url": data_url(image.jpeg), "detail": self.settings.image_detail}
            content.append({"type": "input_image", **picture})
        body: dict[str, Any] = {
            "model": self.settings.model,
            "instructions": request.system,
            "input": [{"role": "user", "content": content}],
            "max_output_tokens": request.max_tokens,
            "store": False,
        }
        if request.schema is not None:
            form = {"type": "json_schema", "name": SCHEMA_NAME, "schema": request.schema}
            body["text"] = {"format": {**form, "strict": True}}
        if request.temperature is not None:
            body["temperature"] = request.temperature
        if self.settings.reasoning_effort is not None:
            body["reasoning"] = {"effort": self.settings.reasoning_effort}
        return body

    @contextmanager
    def _client(self) -> Iterator[tuple[httpx2.Client, RequestGuard]]:
        """Lend a client; the one used last is the likeliest to still have its connection."""
        try:
            lent = self._idle_clients.pop()
        except IndexError:
            guard = RequestGuard()
            # No redirects: they would send the key to wherever the server says.
            client = httpx2.Client(
                follow_redirects=False, verify=certificates(), event_hooks=guard.hooks
            )
            weakref.finalize(self, client.close)
            lent = client, guard
        try:
            yield lent
        finally:
            self._idle_clients.append(lent)

    @contextmanager
    def _translated_errors(self) -> Iterator[None]:
        try:
            yield
        except httpx2.TimeoutException as error:
            raise NoAnswerInTimeError(f"no answer within {self.settings.timeout_s:g} s") from error
        except (TooLargeError, OddEncodingError) as error:
            raise RejectedError(f"{error}; is this the address of a text model?") from error
        except httpx2.RequestError as error:
            raise ConnectionFailedError(f"no connection: {self._shown(str(error))}") from error
        except (ValueError, RecursionError) as error:
            raise ServerFailedError(f"not a valid answer: {self._shown(str(error))}") from error

    def _shown(self, text: str) -> str:
        return readable(text, self.settings.api_key)


def _stated_error(response: httpx2.Response) -> object:
    """The error as the server states it: the protocol's object, or else the whole text."""
    try:
        document = response.json()
    except (ValueError, RecursionError):
        return response.text
    stated = document.get("error", document) if isinstance(document, Mapping) else None
    return stated if isinstance(stated, Mapping) and stated else response.text
