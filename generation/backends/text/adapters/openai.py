"""Any OpenAI-compatible endpoint, hosted or on the next machine, by base URL, model and key.

Structured output is asked for by a strict JSON schema. A server that refuses the schema is told of
as it is: the contract never changes behind the user's back (reference, section 8.2).
"""

import base64
import time
import weakref
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import httpx2
import openai

from generation.backends.retry_after import retry_after_s
from generation.backends.server_text import storable
from generation.backends.text.answers import checked_answer
from generation.backends.text.exceptions import (
    ConnectionFailedError,
    NoAnswerInTimeError,
    RateLimitedError,
    RejectedError,
    ServerFailedError,
)
from generation.backends.text.model import (
    ApiStyle,
    Image,
    ModelSettings,
    TextAnswer,
    TextModel,
    TextRequest,
)
from generation.backends.text.protocol_answers import NOT_THE_PROTOCOL, Told, told_by
from generation.backends.text.strict_schema import check_strict_schema

NAME = "openai"
SCHEMA_NAME = "answer"
# The client wants a key; a server without one ignores it.
NO_KEY = "none"
CONNECT_TIMEOUT_S = 10.0
SHOWN_CHARACTERS = 300
_BUSY_STATUS = frozenset({408, 409})
_SERVER_STATUS = 500


def build(settings: ModelSettings) -> TextModel:
    """Return the model behind an endpoint."""
    return OpenAiModel(settings)


class OpenAiModel:
    """One model of one endpoint; safe to share between threads.

    Every request under way has a client of its own, with one connection, which the next one takes
    over. A client that all shared would walk through all connections, one by one and behind a lock,
    at the begin and at the end of every request.
    """

    def __init__(self, settings: ModelSettings) -> None:
        self.settings = settings
        # Reading the certificates takes longer than all else that a client needs.
        self._certificates = httpx2.create_ssl_context()
        self._idle_clients: list[openai.OpenAI] = []

    def complete(self, request: TextRequest) -> TextAnswer:
        """Ask once."""
        if request.schema is not None:
            check_strict_schema(request.schema)
        if request.images and not self.settings.supports_images:
            raise RejectedError(
                f"{self.settings.model} takes no images; {len(request.images)} were given"
            )
        started_at = time.monotonic()
        with self._translated_errors():
            told = self._asked(request)
        answer = TextAnswer(
            text=told.text,
            parsed=None,
            model=told.model or self.settings.model,
            tokens_in=told.tokens_in,
            tokens_out=told.tokens_out,
            seconds=time.monotonic() - started_at,
            finish_reason=told.finish_reason,
        )
        return checked_answer(request, answer)

    def _asked(self, request: TextRequest) -> Told:
        style = self.settings.api_style
        ask = self._ask_chat if style is ApiStyle.CHAT else self._ask_responses
        return told_by(ask(request), style)

    def _ask_chat(self, request: TextRequest) -> object:
        body: dict[str, Any] = {
            "model": self.settings.model,
            "messages": [
                {"role": "system", "content": request.system},
                {"role": "user", "content": _chat_content(request)},
            ],
            "max_completion_tokens": request.max_tokens,
        }
        if request.schema is not None:
            form = {"name": SCHEMA_NAME, "schema": request.schema, "strict": True}
            body["response_format"] = {"type": "json_schema", "json_schema": form}
        if request.temperature is not None:
            body["temperature"] = request.temperature
        return self._post("/chat/completions", body)

    def _ask_responses(self, request: TextRequest) -> object:
        body: dict[str, Any] = {
            "model": self.settings.model,
            "instructions": request.system,
            "input": [{"role": "user", "content": _responses_content(request)}],
            "max_output_tokens": request.max_tokens,
            "store": False,
        }
        if request.schema is not None:
            form = {"type": "json_schema", "name": SCHEMA_NAME, "schema": request.schema}
            body["text"] = {"format": {**form, "strict": True}}
        if request.temperature is not None:
            body["temperature"] = request.temperature
        return self._post("/responses", body)

    def _post(self, path: str, body: Mapping[str, Any]) -> object:
        """Send a body as it is; the client's own methods first walk through it by its types."""
        with self._client() as client:
            response = client.post(path, body=body, cast_to=httpx2.Response)
        try:
            return response.json()
        except ValueError:
            if "json" in response.headers.get("content-type", ""):
                raise
            # A base URL that leads elsewhere is often answered with a page.
            raise RejectedError(NOT_THE_PROTOCOL) from None

    @contextmanager
    def _client(self) -> Iterator[openai.OpenAI]:
        """Lend a client; the one that was used last is the likeliest to be connected still."""
        try:
            client = self._idle_clients.pop()
        except IndexError:
            client = self._new_client()
        try:
            yield client
        finally:
            self._idle_clients.append(client)

    def _new_client(self) -> openai.OpenAI:
        timeout = openai.Timeout(self.settings.timeout_s, connect=CONNECT_TIMEOUT_S)
        # No redirects: the key would follow them to wherever the server says.
        transport = openai.DefaultHttpxClient(
            follow_redirects=False, timeout=timeout, verify=self._certificates
        )
        weakref.finalize(self, transport.close)
        return openai.OpenAI(
            api_key=self.settings.api_key or NO_KEY,
            base_url=self.settings.base_url,
            timeout=timeout,
            max_retries=0,
            http_client=transport,
        )

    @contextmanager
    def _translated_errors(self) -> Iterator[None]:
        try:
            yield
        # A time-out is a kind of connection error to the client, so it comes first.
        except openai.APITimeoutError as error:
            raise NoAnswerInTimeError(f"no answer within {self.settings.timeout_s:g} s") from error
        except openai.APIConnectionError as error:
            reason = self._shown(str(error.__cause__ or error))
            raise ConnectionFailedError(f"no connection: {reason}") from error
        except openai.APIStatusError as error:
            raise self._status_error(error) from error
        except ServerFailedError as error:
            raise ServerFailedError(self._shown(str(error))) from None
        except (openai.APIError, ValueError) as error:
            raise ServerFailedError(f"not an answer: {self._shown(str(error))}") from error

    def _status_error(self, error: openai.APIStatusError) -> Exception:
        status = error.status_code
        message = f"HTTP {status}: {self._shown(_words(error))}"
        wait_s = retry_after_s(error.response.headers)
        # Out of money looks like too many requests, but waiting does not help.
        if error.code == "insufficient_quota":
            return RejectedError(message)
        if isinstance(error, openai.RateLimitError):
            return RateLimitedError(message, retry_after_s=wait_s)
        if status >= _SERVER_STATUS or status in _BUSY_STATUS:
            return ServerFailedError(message, retry_after_s=wait_s)
        return RejectedError(message)

    def _shown(self, text: str) -> str:
        """Return a server's words without our key in them, cut to a readable length."""
        key = self.settings.api_key
        clean = " ".join((text.replace(key, "[key]") if key else text).split())
        return storable(clean)[:SHOWN_CHARACTERS]


def _words(error: openai.APIStatusError) -> str:
    body = error.body
    if isinstance(body, Mapping) and isinstance(body.get("message"), str):
        return str(body["message"])
    return error.response.text


def _chat_content(request: TextRequest) -> Any:
    if not request.images:
        return request.prompt
    content: list[dict[str, Any]] = [{"type": "text", "text": request.prompt}]
    for image in request.images:
        content.append({"type": "text", "text": image.caption})
        content.append(
            {"type": "image_url", "image_url": {"url": _data_url(image), "detail": "low"}}
        )
    return content


def _responses_content(request: TextRequest) -> list[dict[str, Any]]:
    content: list[dict[str, Any]] = [{"type": "input_text", "text": request.prompt}]
    for image in request.images:
        content.append({"type": "input_text", "text": image.caption})
        content.append({"type": "input_image", "image_url": _data_url(image), "detail": "low"})
    return content


def _data_url(image: Image) -> str:
    return f"data:image/jpeg;base64,{base64.b64encode(image.jpeg).decode()}"
