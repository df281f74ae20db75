"""What the assessor and taking part share: the card, the addresses, and what is not offered."""

import functools
import logging
from collections.abc import AsyncGenerator, Callable, Coroutine, Sequence
from typing import Any, ParamSpec, TypeVar

from a2a.server.request_handlers.request_handler import RequestHandler
from a2a.server.routes import create_agent_card_routes, create_jsonrpc_routes
from a2a.server.routes.common import ServerCallContextBuilder
from a2a.types import AgentCapabilities, AgentCard, AgentInterface, AgentSkill
from a2a.utils.constants import AGENT_CARD_WELL_KNOWN_PATH
from a2a.utils.errors import A2AError, InternalError, TaskNotFoundError, UnsupportedOperationError
from starlette.applications import Starlette

from benchmarks.backends.a2a.agent import OLD_CARD_PATH
from benchmarks.backends.a2a.cards import JSONRPC

logger = logging.getLogger(__name__)
RPC_PATH = "/a2a/"
# The old version is for clients of AgentBeats' material; both are spoken at one address.
VERSIONS = ("1.0", "0.3")
SAFE_WORDS = "It failed; the administrator of this server finds the reason in its log."

Result = TypeVar("Result")
P = ParamSpec("P")


class PlainHandler(RequestHandler):
    """Offers no method; a subclass offers what it can. Nothing is pushed to anybody."""

    async def _refuse(self, *_: Any) -> Any:
        raise UnsupportedOperationError

    async def _refuse_stream(self, *_: Any) -> AsyncGenerator[Any, None]:
        raise UnsupportedOperationError
        yield

    async def _find_nothing(self, *_: Any) -> Any:
        raise TaskNotFoundError

    on_message_send: Any = _refuse
    on_list_tasks: Any = _refuse
    on_get_extended_agent_card: Any = _refuse
    on_get_task: Any = _find_nothing
    on_cancel_task: Any = _find_nothing
    on_message_send_stream: Any = _refuse_stream
    on_subscribe_to_task: Any = _refuse_stream
    on_create_task_push_notification_config: Any = _refuse
    on_get_task_push_notification_config: Any = _refuse
    on_list_task_push_notification_configs: Any = _refuse
    on_delete_task_push_notification_config: Any = _refuse


def safely(
    method: Callable[P, Coroutine[Any, Any, Result]],
) -> Callable[P, Coroutine[Any, Any, Result]]:
    """Keep the words of unforeseen errors from the client, who would get them as they are."""

    @functools.wraps(method)
    async def guarded(*arguments: P.args, **named: P.kwargs) -> Result:
        try:
            return await method(*arguments, **named)
        except A2AError:
            raise
        except Exception as error:
            logger.exception("a request over A2A failed")
            raise InternalError(SAFE_WORDS) from error

    return guarded


def safely_streamed(
    method: Callable[P, AsyncGenerator[Result, None]],
) -> Callable[P, AsyncGenerator[Result, None]]:
    """`safely` for a method that streams."""

    @functools.wraps(method)
    async def guarded(*arguments: P.args, **named: P.kwargs) -> AsyncGenerator[Result, None]:
        try:
            async for event in method(*arguments, **named):
                yield event
        except A2AError:
            raise
        except Exception as error:
            logger.exception("a request over A2A failed")
            raise InternalError(SAFE_WORDS) from error

    return guarded


def card_of(
    *, name: str, description: str, version: str, url: str, inputs: Sequence[str], skill: AgentSkill
) -> AgentCard:
    """A card for both versions of the protocol at `url`, the address of the server."""
    return AgentCard(
        name=name,
        description=description,
        version=version,
        default_input_modes=inputs,
        default_output_modes=["application/json", "text/plain"],
        capabilities=AgentCapabilities(streaming=True),
        skills=[skill],
        supported_interfaces=[
            AgentInterface(
                protocol_binding=JSONRPC, protocol_version=number, url=url.rstrip("/") + RPC_PATH
            )
            for number in VERSIONS
        ],
    )


def app_of(
    card: AgentCard,
    handler: RequestHandler,
    context_builder: ServerCallContextBuilder | None = None,
) -> Starlette:
    """The application: the card at both well-known addresses, and both versions at one."""
    routes = [
        *create_agent_card_routes(card, card_url=AGENT_CARD_WELL_KNOWN_PATH),
        *create_agent_card_routes(card, card_url=OLD_CARD_PATH),
        *create_jsonrpc_routes(
            handler, RPC_PATH, context_builder=context_builder, enable_v0_3_compat=True
        ),
    ]
    return Starlette(routes=routes)
