"""Take part as an agent: whatever answers requests, behind the protocol."""

import asyncio
from collections.abc import AsyncGenerator, Callable

from a2a.helpers import new_text_part
from a2a.server.context import ServerCallContext
from a2a.types import AgentCard, AgentSkill, Message, Role, SendMessageRequest
from a2a.utils.errors import InvalidParamsError
from starlette.applications import Starlette

from benchmarks.backends.a2a.messages import JPEG, answer_parts, read_question
from benchmarks.backends.a2a.serving import PlainHandler, app_of, card_of, safely, safely_streamed
from generation.backends.exceptions import ModelError, StoppedError
from generation.backends.text.model import TextRequest

SKILL = AgentSkill(
    id="answer",
    name="Answer a question",
    description="Answers a question about a recording in the form of the JSON schema sent with it.",
    tags=["question answering"],
)


class ParticipantHandler(PlainHandler):
    """Answers each message with a message; keeps no tasks."""

    def __init__(self, answer: Callable[[TextRequest], str]) -> None:
        self._answer = answer

    @safely
    async def on_message_send(
        self, params: SendMessageRequest, context: ServerCallContext
    ) -> Message:
        sent = params.message
        try:
            question_id, request = read_question(sent)
        except ValueError as error:
            raise InvalidParamsError(str(error)) from error
        try:
            parts = answer_parts(question_id, await asyncio.to_thread(self._answer, request))
        except (ModelError, StoppedError) as error:
            # Whoever asks must see no answer, and need not learn what is behind this agent.
            parts = [new_text_part(f"no answer: {error.outcome.label}")]
        return Message(
            role=Role.ROLE_AGENT,
            message_id=f"answer-{sent.message_id}",
            context_id=sent.context_id,
            parts=parts,
        )

    @safely_streamed
    async def on_message_send_stream(
        self, params: SendMessageRequest, context: ServerCallContext
    ) -> AsyncGenerator[Message, None]:
        yield await self.on_message_send(params, context)


def participant_card(*, name: str, version: str, url: str, takes_pictures: bool) -> AgentCard:
    inputs = ["text/plain", "application/json", *([JPEG] if takes_pictures else [])]
    return card_of(
        name=name,
        description="Answers questions about recordings of procedures.",
        version=version,
        url=url,
        inputs=inputs,
        skill=SKILL,
    )


def participant_app(card: AgentCard, answer: Callable[[TextRequest], str]) -> Starlette:
    return app_of(card, ParticipantHandler(answer))
