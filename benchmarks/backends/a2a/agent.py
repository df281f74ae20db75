"""Ask an agent over A2A, with the client of the SDK, from threads."""

import contextlib
import json
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any

import httpx
from a2a.client import A2ACardResolver, ClientConfig, ClientFactory
from a2a.client.card_resolver import parse_agent_card
from a2a.client.errors import AgentCardResolutionError
from a2a.types import (
    GetTaskRequest,
    Message,
    Part,
    SendMessageConfiguration,
    SendMessageRequest,
    Task,
    TaskState,
)
from a2a.utils.constants import AGENT_CARD_WELL_KNOWN_PATH
from a2a.utils.errors import A2AError
from google.protobuf.json_format import MessageToDict

from benchmarks.backends.a2a.cards import check_card, refuse_address
from benchmarks.backends.a2a.exceptions import CardError, LateError, NotTheAnswerError
from benchmarks.backends.a2a.guard import GuardedTransport, finished, pause, within
from benchmarks.backends.a2a.messages import ReplyError, question_message, text_of_reply, words_of
from generation.backends.exceptions import (
    RateLimitedError,
    RejectedError,
    ServerFailedError,
)
from generation.backends.retry_after import retry_after_s
from generation.backends.server_text import is_storable, readable, storable
from generation.backends.text.answers import checked_answer
from generation.backends.text.exceptions import ConnectionFailedError
from generation.backends.text.model import FinishReason, TextAnswer, TextRequest

OLD_CARD_PATH = "/.well-known/agent.json"
CONNECT_TIMEOUT_S = 10.0
CARD_TIMEOUT_S = 10.0
KEPT_AGENTS = 64
NOT_FOUND, TOO_MANY, FIRST_OF_SERVER = 404, 429, 500
UNDER_WAY = {
    TaskState.TASK_STATE_UNSPECIFIED,
    TaskState.TASK_STATE_SUBMITTED,
    TaskState.TASK_STATE_WORKING,
}


@dataclass(frozen=True, slots=True)
class AgentSettings:
    """How to reach an agent; `name` is recorded as who has answered."""

    base_url: str
    name: str = ""
    api_key: str = field(default="", repr=False)
    timeout_s: float = CARD_TIMEOUT_S


def read_card(settings: AgentSettings) -> dict[str, Any]:
    """The card of an agent as the JSON of version 1.0; raises a ModelError, CardError among them.

    It is read where version 1.0 says, or else where earlier versions did.
    """
    refuse_address(settings.base_url, settings.base_url)

    async def read() -> dict[str, Any]:
        async with _http_client(settings) as client:
            resolver = A2ACardResolver(client, settings.base_url)
            try:
                card = await resolver.get_agent_card(AGENT_CARD_WELL_KNOWN_PATH)
            except AgentCardResolutionError as error:
                if error.status_code != NOT_FOUND:
                    raise
                card = await resolver.get_agent_card(OLD_CARD_PATH)
            return MessageToDict(card)

    with _translated_errors(settings), within(settings.timeout_s):
        card = finished(read())
    if not is_storable(card):
        raise CardError("its card contains a NUL or half a character")
    check_card(card, settings.base_url)
    return card


class AgentModel:
    """One agent, by its card; safe to share between threads."""

    def __init__(self, settings: AgentSettings, card: Mapping[str, Any]) -> None:
        check_card(card, settings.base_url)
        self.settings = settings
        config = ClientConfig(streaming=False, httpx_client=_http_client(settings))
        self._client = ClientFactory(config).create(parse_agent_card(dict(card)))

    def complete(
        self,
        request: TextRequest,
        *,
        question_id: str,
        context_id: str,
        hang_up: Callable[[], None] | None = None,
    ) -> TextAnswer:
        """Ask once, as a text model is asked; raises a `ModelError` for no usable answer."""
        message = question_message(request, question_id, context_id)
        started_at = time.monotonic()
        with _translated_errors(self.settings), within(self.settings.timeout_s, hang_up):
            parts = finished(self._ask(message))
        answer = TextAnswer(
            text="",
            parsed=None,
            model=self.settings.name,
            tokens_in=0,
            tokens_out=0,
            seconds=time.monotonic() - started_at,
            finish_reason=FinishReason.STOP,
        )
        try:
            text = text_of_reply(parts, question_id)
        except ReplyError as error:
            verbatim = storable(words_of(parts))
            raise NotTheAnswerError(str(error), answer=replace(answer, text=verbatim)) from error
        return checked_answer(request, replace(answer, text=storable(text)))

    async def _ask(self, message: Message) -> list[Part]:
        # It is one, since nothing is streamed.
        async for response in self._client.send_message(message_request(message)):
            if response.HasField("message"):
                return list(response.message.parts)
            task = response.task
            while task.status.state in UNDER_WAY:
                pause()
                task = await self._client.get_task(GetTaskRequest(id=task.id))
            return _parts_of_task(task)
        return []


def message_request(message: Message) -> SendMessageRequest:
    """What carries a question to an agent."""
    modes = ["application/json", "text/plain"]
    configuration = SendMessageConfiguration(accepted_output_modes=modes)
    return SendMessageRequest(message=message, configuration=configuration)


def _parts_of_task(task: Task) -> list[Part]:
    """The answer of a task that has ended: its artifacts, or the message of its status."""
    said = list(task.status.message.parts)
    if task.status.state != TaskState.TASK_STATE_COMPLETED:
        state = TaskState.Name(task.status.state).removeprefix("TASK_STATE_").lower()
        words = " ".join(part.text for part in said)
        raise RejectedError(f"its task ended as {state.replace('_', ' ')}: {words or 'no reason'}")
    return [part for artifact in task.artifacts for part in artifact.parts] or said


def agent_model(settings: AgentSettings, card: str) -> AgentModel:
    """The agent with a card, given as JSON; the same again keeps its connections."""
    # A cache does not make threads wait: the first questions would each open connections.
    with _agents_lock:
        return _agent_model(settings, card)


@lru_cache(KEPT_AGENTS)
def _agent_model(settings: AgentSettings, card: str) -> AgentModel:
    return AgentModel(settings, json.loads(card))


_agents_lock = threading.Lock()


def _http_client(settings: AgentSettings) -> httpx.AsyncClient:
    # The SDK's own time-out is 5 s, also while an answer is computed.
    timeout = httpx.Timeout(settings.timeout_s, connect=CONNECT_TIMEOUT_S, pool=None)
    key = settings.api_key
    return httpx.AsyncClient(
        transport=GuardedTransport(settings.base_url),
        headers={"Authorization": f"Bearer {key}"} if key else {},
        timeout=timeout,
        follow_redirects=False,
    )


@contextlib.contextmanager
def _translated_errors(settings: AgentSettings) -> Iterator[None]:
    def shown(error: BaseException) -> str:
        return readable(str(error), settings.api_key)

    try:
        yield
    except A2AError as error:
        raise _error_of(error.__cause__, shown) or RejectedError(
            f"the agent reports an error, or nothing of the protocol: {shown(error)}"
        ) from error
    except TimeoutError as error:
        raise LateError(f"no answer within {settings.timeout_s:g} s") from error
    except httpx.RequestError as error:
        raise _error_of(error, shown) or RejectedError(shown(error)) from error
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        raise RejectedError(f"its answer is not of the protocol: {shown(error)}") from error


def _error_of(cause: BaseException | None, shown: Callable[[BaseException], str]) -> Any:
    """The error for what went wrong on the way; None where something came, and was wrong."""
    if isinstance(cause, httpx.HTTPStatusError):
        status = cause.response.status_code
        if status == TOO_MANY:
            pause_s = retry_after_s(cause.response.headers)
            return RateLimitedError("too many requests (429)", retry_after_s=pause_s)
        if status >= FIRST_OF_SERVER:
            return ServerFailedError(f"its server failed ({status})")
        return RejectedError(f"its server refuses the request ({status})")
    if isinstance(cause, httpx.ReadTimeout | httpx.WriteTimeout):
        return LateError("no answer in time")
    if isinstance(cause, httpx.RequestError):
        return ConnectionFailedError(f"no connection: {shown(cause) or type(cause).__name__}")
    return None
