"""The assessor: a server that is asked over A2A to have an agent assessed, and tells how it goes.

The truth about a task is what the site has stored, and every method reads it there. So a server
that was killed knows all tasks again, and who lost a stream subscribes and gets the end.
"""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any, Protocol

from a2a.helpers import get_text_parts, new_data_part, new_text_part
from a2a.server.context import ServerCallContext
from a2a.server.routes.common import ServerCallContextBuilder
from a2a.types import (
    AgentCard,
    AgentSkill,
    Artifact,
    CancelTaskRequest,
    GetTaskRequest,
    HTTPAuthSecurityScheme,
    ListTasksRequest,
    ListTasksResponse,
    Message,
    Role,
    SecurityRequirement,
    SecurityScheme,
    SendMessageRequest,
    StringList,
    SubscribeToTaskRequest,
    Task,
    TaskArtifactUpdateEvent,
    TaskState,
    TaskStatus,
    TaskStatusUpdateEvent,
)
from a2a.utils.errors import (
    InvalidParamsError,
    TaskNotCancelableError,
    TaskNotFoundError,
    UnsupportedOperationError,
)
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Receive, Scope, Send
from starlette.types import Message as AsgiMessage

from benchmarks.backends.a2a.messages import json_objects_of
from benchmarks.backends.a2a.serving import (
    RPC_PATH,
    PlainHandler,
    app_of,
    card_of,
    safely,
    safely_streamed,
)

PROGRESS_S = 1.0
# Threads that read what is stored; each has a connection to the database.
READERS = 8
MOST_REQUEST_BYTES = 1_000_000
MOST_LISTED = 50
# What a client may ask for at once; it gets the latest `MOST_LISTED` at most.
MOST_PAGE = 100
USER = "piev.user"
ENDED = {
    TaskState.TASK_STATE_COMPLETED,
    TaskState.TASK_STATE_CANCELED,
    TaskState.TASK_STATE_FAILED,
    TaskState.TASK_STATE_REJECTED,
}
SKILL = AgentSkill(
    id="assess",
    name="Assess an agent",
    description=(
        'Takes {"participants": {"participant": URL}, "config": {"item_set": "name@version"}} and'
        " ends with the figures of the agent's answers."
    ),
    tags=["benchmark", "assessment"],
)


class RequestRefusedError(Exception):
    """A request that cannot be met; `problems` names everything that is wrong with it."""

    def __init__(self, problems: list[str]) -> None:
        super().__init__("; ".join(problems))
        self.problems = problems


@dataclass(frozen=True, slots=True)
class Standing:
    """How a task stands: the name of a `TaskState` without its prefix, counts, words, results."""

    task_id: str
    context_id: str
    state: str
    done_count: int = 0
    total_count: int = 0
    words: str = ""
    results: Mapping[str, Any] = field(default_factory=dict)


class Site(Protocol):
    """What the assessor needs of the site; every method may block."""

    def user_of(self, token: str) -> Any | None:
        """The researcher with an API token, None for anybody else."""

    def start(self, user: Any, request: Mapping[str, Any], message_id: str, context_id: str) -> str:
        """Queue an assessment and return its task's id; raises RequestRefusedError.

        The same message of the same user joins the task that it started.
        """

    def standing(self, user: Any, task_id: str) -> Standing | None:
        """A task of the user's, None where there is none."""

    def cancel(self, user: Any, task_id: str) -> bool:
        """Cancel the user's task; False where it is not at work."""

    def latest(self, user: Any, count: int) -> list[Standing]:
        """The user's latest tasks."""


class AssessorHandler(PlainHandler):
    """Starts, follows and cancels assessments of the user behind each request."""

    def __init__(self, site: Site, call: "Caller") -> None:
        self._site, self._call = site, call

    @safely_streamed
    async def on_message_send_stream(
        self, params: SendMessageRequest, context: ServerCallContext
    ) -> AsyncGenerator[Any, None]:
        task = await self._started(params.message, context)
        if task.status.state in ENDED:
            yield task
            return
        async for event in self._follow(task.id, context):
            yield event

    @safely
    async def on_message_send(self, params: SendMessageRequest, context: ServerCallContext) -> Task:
        task = await self._started(params.message, context)
        while task.status.state not in ENDED and not params.configuration.return_immediately:
            await asyncio.sleep(PROGRESS_S)
            task = await self._task(task.id, context)
        return task

    @safely
    async def on_get_task(self, params: GetTaskRequest, context: ServerCallContext) -> Task:
        return await self._task(params.id, context)

    @safely_streamed
    async def on_subscribe_to_task(
        self, params: SubscribeToTaskRequest, context: ServerCallContext
    ) -> AsyncGenerator[Any, None]:
        async for event in self._follow(params.id, context):
            yield event

    @safely
    async def on_cancel_task(self, params: CancelTaskRequest, context: ServerCallContext) -> Task:
        before = await self._task(params.id, context)
        if before.status.state in ENDED or not await self._call(
            self._site.cancel, _user(context), params.id
        ):
            raise TaskNotCancelableError
        return await self._task(params.id, context)

    @safely
    async def on_list_tasks(
        self, params: ListTasksRequest, context: ServerCallContext
    ) -> ListTasksResponse:
        count = params.page_size if params.HasField("page_size") else MOST_LISTED
        if not 1 <= count <= MOST_PAGE:
            raise InvalidParamsError(f"pageSize is {count}; expected 1 to {MOST_PAGE}")
        if params.history_length < 0:
            raise InvalidParamsError(
                f"historyLength is {params.history_length}; expected 0 or more"
            )
        if params.page_token:
            raise InvalidParamsError(
                "pageToken is of no page; there is only one, of the latest tasks"
            )
        count = min(count, MOST_LISTED)
        standings = await self._call(self._site.latest, _user(context), count)
        tasks = [_task_of(standing) for standing in standings]
        return ListTasksResponse(tasks=tasks, page_size=count, total_size=len(tasks))

    async def _started(self, message: Message, context: ServerCallContext) -> Task:
        if not (message.message_id and message.role and message.parts):
            raise InvalidParamsError("a message has a messageId, a role and at least one part")
        if message.task_id:
            raise UnsupportedOperationError("A task takes one message; send another without an id.")
        request = next(json_objects_of(message.parts, get_text_parts(message.parts)), {})
        context_id = message.context_id or message.message_id
        arguments = (_user(context), request, message.message_id, context_id)
        try:
            task_id = await self._call(self._site.start, *arguments)
        except RequestRefusedError as error:
            # It was never queued, so it is told once and not stored.
            refused = Standing(f"refused-{message.message_id}", context_id, "REJECTED")
            return _task_of(refused, words="\n".join(error.problems))
        return await self._task(task_id, context)

    async def _task(self, task_id: str, context: ServerCallContext) -> Task:
        return _task_of(await self._standing(task_id, context))

    async def _standing(self, task_id: str, context: ServerCallContext) -> Standing:
        standing = await self._call(self._site.standing, _user(context), task_id)
        if standing is None:
            raise TaskNotFoundError
        return standing

    async def _follow(self, task_id: str, context: ServerCallContext) -> AsyncGenerator[Any, None]:
        """The task, its progress once a second, then the artifact and the end."""
        standing = await self._standing(task_id, context)
        yield _task_of(standing)
        while _state(standing) not in ENDED:
            await asyncio.sleep(PROGRESS_S)
            standing = await self._standing(task_id, context)
            if _state(standing) in ENDED and standing.results:
                yield TaskArtifactUpdateEvent(
                    task_id=task_id,
                    context_id=standing.context_id,
                    artifact=_artifact(standing),
                    last_chunk=True,
                )
            # In the metadata: a message in a status would be added to the task's history.
            yield TaskStatusUpdateEvent(
                task_id=task_id,
                context_id=standing.context_id,
                status=_status(standing),
                metadata=_progress(standing),
            )


def _user(context: ServerCallContext) -> Any:
    return context.state[USER]


def _state(standing: Standing) -> Any:
    return TaskState.Value(f"TASK_STATE_{standing.state}")


def _progress(standing: Standing) -> dict[str, int]:
    return {"done": standing.done_count, "total": standing.total_count}


def _status(standing: Standing, words: str = "") -> TaskStatus:
    status = TaskStatus(state=_state(standing))
    if words or standing.words:
        status.message.CopyFrom(
            Message(
                role=Role.ROLE_AGENT,
                message_id=f"{standing.task_id}-{standing.state.lower()}",
                context_id=standing.context_id,
                parts=[new_text_part(words or standing.words)],
            )
        )
    status.timestamp.GetCurrentTime()
    return status


def _artifact(standing: Standing) -> Artifact:
    parts = [new_data_part(dict(standing.results))]
    return Artifact(artifact_id="results", name="results", parts=parts)


def _task_of(standing: Standing, words: str = "") -> Task:
    return Task(
        id=standing.task_id,
        context_id=standing.context_id,
        status=_status(standing, words),
        artifacts=[_artifact(standing)] if standing.results else [],
        metadata=_progress(standing),
    )


Caller = Callable[..., Awaitable[Any]]


class _UserContext(ServerCallContextBuilder):
    def build(self, request: Request) -> ServerCallContext:
        return ServerCallContext(
            state={USER: request.scope[USER], "headers": dict(request.headers)}
        )


class TokenGate:
    """Lets requests with a researcher's token in, up to a size; cards are for everybody."""

    def __init__(self, app: ASGIApp, site: Site, call: Caller) -> None:
        self._app, self._site, self._call = app, site, call

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["path"] != RPC_PATH:
            await self._app(scope, receive, send)
            return
        headers = dict(scope["headers"])
        kind, _, token = headers.get(b"authorization", b"").decode("latin-1").partition(" ")
        user = None
        if kind.lower() == "bearer" and token:
            user = await self._call(self._site.user_of, token.strip())
        if user is None:
            words = "Send a researcher's API token as Authorization: Bearer …"
            refusal = JSONResponse({"error": words}, 401, {"WWW-Authenticate": "Bearer"})
            await refusal(scope, receive, send)
            return
        size = 0

        async def limited() -> AsgiMessage:
            nonlocal size
            message = await receive()
            size += len(message.get("body", b""))
            if size > MOST_REQUEST_BYTES:
                raise HTTPException(413)
            return message

        await self._app({**scope, USER: user}, limited, send)


def assessor_card(*, url: str, version: str) -> AgentCard:
    card = card_of(
        name="PIE-V assessor",
        description="Has an agent answer a frozen item set, and scores its answers.",
        version=version,
        url=url,
        inputs=["application/json", "text/plain"],
        skill=SKILL,
    )
    bearer = HTTPAuthSecurityScheme(scheme="Bearer", description="The API token of a researcher")
    card.security_schemes["token"].CopyFrom(SecurityScheme(http_auth_security_scheme=bearer))
    card.security_requirements.append(SecurityRequirement(schemes={"token": StringList()}))
    return card


def assessor_app(card: AgentCard, site: Site) -> ASGIApp:
    """The application; what blocks runs in threads."""
    readers = ThreadPoolExecutor(READERS, thread_name_prefix="assessor")

    async def call(method: Callable[..., Any], *arguments: Any) -> Any:
        return await asyncio.get_running_loop().run_in_executor(readers, method, *arguments)

    app = app_of(card, AssessorHandler(site, call), _UserContext())
    return TokenGate(app, site, call)
