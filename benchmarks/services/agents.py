"""Agents as endpoints: their settings, their cards, and asking them a question once."""

import hashlib
import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from decimal import Decimal
from itertools import count, islice
from typing import TYPE_CHECKING, ClassVar, Self

from django.core.exceptions import ValidationError
from django.utils import timezone

from annotation.models import User
from benchmarks.backends.a2a.cards import MISSING, is_installed, name_of
from benchmarks.backends.a2a.exceptions import CardError, NotTheAnswerError
from benchmarks.models import AgentCall, AgentEndpoint
from generation.backends.exceptions import ModelError, Outcome
from generation.backends.text.model import TextAnswer, TextRequest
from generation.selectors.calls.admission import Question, question_of
from generation.selectors.calls.endpoints import endpoints_for_user
from generation.selectors.texts.calls import prompt_columns
from generation.services.calls.endpoints import (
    EndpointSettings,
    EndpointTest,
    create_endpoint,
    note_test,
    usable_base_url,
)
from generation.services.calls.keys import UnreadableKeyError, decrypted
from generation.services.texts.asker import PromptAsker, answer_of, gate_of

if TYPE_CHECKING:
    from benchmarks.backends.a2a.agent import AgentModel, AgentSettings

# Characters of the hashes that agents see as ids.
ID_CHARACTERS = 32
NO_CARD = "card not read yet"


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentEndpointSettings(EndpointSettings):
    """The settings of an agent, without its key; `model_name` comes from its card."""

    HOSTS: ClassVar[str] = "AGENT_HOSTS"

    price_per_question: Decimal | None = None

    def completed(self) -> Self:
        """The settings with a name in place of the card's until that was read."""
        return self if self.model_name else replace(self, model_name=NO_CARD)


def agent_settings(endpoint: AgentEndpoint) -> "AgentSettings":
    """How to reach an agent; raises UnreadableKeyError, and CardError where none can be asked."""
    if not is_installed():
        raise CardError(MISSING)
    # Only whoever asks agents has the extra, and it takes a second to load.
    from benchmarks.backends.a2a.agent import AgentSettings  # noqa: PLC0415

    return AgentSettings(
        base_url=endpoint.base_url,
        name=endpoint.model_name,
        api_key=decrypted(endpoint.encrypted_key),
        timeout_s=float(endpoint.timeout_s),
    )


def read_agent_card(endpoint: AgentEndpoint) -> str:
    """Read an agent's card, stored if the agent is; returns why that failed, "" if it did not."""
    try:
        settings = agent_settings(endpoint)
        from benchmarks.backends.a2a.agent import read_card  # noqa: PLC0415

        endpoint.card = read_card(settings)
    except (ModelError, UnreadableKeyError) as error:
        return str(error)
    endpoint.model_name = name_of(endpoint.card)
    endpoint.card_read_at = timezone.now()
    # The endpoint may have been changed or deleted while its card came.
    same = AgentEndpoint.objects.filter(pk=endpoint.pk, base_url=endpoint.base_url)
    same.update(
        card=endpoint.card, model_name=endpoint.model_name, card_read_at=endpoint.card_read_at
    )
    return ""


def agent_at(*, address: str, actor: User) -> AgentEndpoint:
    """The agent at an address that the actor may use, with its card as it is now.

    One that is not there yet is stored as the actor's. Raises ValidationError by field where the
    actor may not name the address, or its card is refused.
    """
    usable = endpoints_for_user(actor, AgentEndpoint).filter(base_url=address.strip().rstrip("/"))
    endpoint = usable.order_by("pk").first()
    # Who may use an agent need not be allowed to name its address.
    agent = endpoint or AgentEndpoint(
        base_url=usable_base_url(address, actor, AgentEndpointSettings.HOSTS)
    )
    if reason := read_agent_card(agent):
        words = f"The agent at {agent.base_url} cannot be asked: {reason}."
        raise ValidationError({"base_url": words})
    if endpoint is not None:
        return endpoint
    new = replace(AgentEndpointSettings.of(agent), name=_free_name(agent.model_name))
    return create_endpoint(endpoint=agent, new=new, api_key="", actor=actor)


def _free_name(name: str) -> str:
    taken = set(
        AgentEndpoint.objects.filter(name__startswith=name[:80]).values_list("name", flat=True)
    )
    numbered = (f"{name[:80]} ({number})" for number in count(2))
    return next(free for free in (name[:80], *islice(numbered, len(taken))) if free not in taken)


def try_agent(*, endpoint: AgentEndpoint, actor: User) -> EndpointTest:
    """Read an agent's card once more, which is all that can be tried without asking it."""
    started = timezone.now()
    error = read_agent_card(endpoint)
    seconds = (timezone.now() - started).total_seconds()
    test = EndpointTest(seconds=seconds, error_kind="CardError" if error else "", error=error)
    note_test(endpoint, test, actor)
    return test


@dataclass(frozen=True, slots=True)
class AgentAsker(PromptAsker[AgentEndpoint]):
    """Asks one agent; its answer is read by the same rule as a model's."""

    def question(self, request: TextRequest) -> Question:
        endpoint = self.endpoint
        server = ["a2a", endpoint.base_url, endpoint.model_name]
        columns = prompt_columns(request, {"max_tokens": request.max_tokens})
        return question_of(
            AgentCall, endpoint, server=server, columns=columns, repeat=request.repeat
        )

    def highest_price(self, request: TextRequest) -> Decimal | None:
        return self.endpoint.price_per_question

    def price(self, answer: TextAnswer) -> Decimal | None:
        return self.endpoint.price_per_question

    @contextmanager
    def ready(
        self, request: TextRequest, question: Question, wait: Callable[[], None]
    ) -> Iterator["_Asking"]:
        """The agent, after waiting for a place among the requests of this process."""
        settings = agent_settings(self.endpoint)
        from benchmarks.backends.a2a.agent import agent_model  # noqa: PLC0415

        model = agent_model(settings, json.dumps(self.endpoint.card, sort_keys=True))
        asking = _Asking(
            model,
            question_id=question.key[:ID_CHARACTERS],
            # All questions of an assessment are one conversation.
            context_id=hashlib.sha256(self.payer.key.encode()).hexdigest()[:ID_CHARACTERS],
        )
        with gate_of(self.endpoint).entered(wait):
            yield asking

    def read(self, call: AgentCall, request: TextRequest) -> TextAnswer:
        if call.error_kind == Outcome.MALFORMED:
            # Its text is kept, and is no answer to this.
            raise NotTheAnswerError(call.error, answer=answer_of(call))
        # Not `super()` alone: a dataclass with slots is another class than the one written here.
        return super(AgentAsker, self).read(call, request)


@dataclass(frozen=True, slots=True)
class _Asking:
    """An agent about to be asked one question, as a model is asked."""

    model: "AgentModel"
    question_id: str
    context_id: str

    def complete(
        self, request: TextRequest, *, hang_up: Callable[[], None] | None = None
    ) -> TextAnswer:
        return self.model.complete(
            request, question_id=self.question_id, context_id=self.context_id, hang_up=hang_up
        )
