"""Agents that answer over the protocol A2A, what they were asked, and who had them asked so."""

from django.conf import settings
from django.db import models
from django.db.models import Q

from annotation.models.columns import one_of
from benchmarks.backends.a2a.cards import takes_pictures
from generation.models import Attempt, Call, Endpoint, PromptCall, TextCallStatus, Use
from generation.models.endpoints import endpoint_constraints, price_column


class AgentEndpoint(Endpoint):
    """An agent at an address, with the card that was read there.

    `model_name` is the card's name and version. `card` is empty until it was read; messages go to
    the address that it names, which is at the same server. `price_per_question` is in US dollars,
    empty if unknown.
    """

    WORD, TITLE = "agent_endpoint", "agent"

    card = models.JSONField(default=dict, blank=True, editable=False)
    card_read_at = models.DateTimeField(null=True, blank=True, editable=False)
    price_per_question = price_column()

    class Meta(Endpoint.Meta):
        constraints = [
            *endpoint_constraints("agent_endpoint"),
            models.CheckConstraint(
                condition=Q(price_per_question__isnull=True) | Q(price_per_question__gte=0),
                name="agent_endpoint_price_not_negative",
                violation_error_message="The price is below 0.",
            ),
        ]

    @property
    def supports_images(self) -> bool:
        """Whether its card says that it takes pictures."""
        return takes_pictures(self.card)


class AgentCall(PromptCall):
    """One question to an agent; `status` has the words of text models."""

    endpoint = models.ForeignKey(
        AgentEndpoint, null=True, on_delete=models.SET_NULL, related_name="calls"
    )

    class Meta(PromptCall.Meta):
        constraints = [
            *Call.Meta.constraints,
            one_of("status", TextCallStatus.values, "agent_call_status_known"),
        ]


class AgentAttempt(Attempt):
    """One message with a question."""

    call = models.ForeignKey(AgentCall, on_delete=models.CASCADE, related_name="attempts")
    endpoint = models.ForeignKey(
        AgentEndpoint, null=True, on_delete=models.SET_NULL, related_name="attempts"
    )


class AgentUse(Use):
    """A payer that read an answer which another had paid for."""

    call = models.ForeignKey(AgentCall, on_delete=models.CASCADE, related_name="uses")


class AgentTask(models.Model):
    """A request over A2A to have an agent assessed; the task of the protocol is this row.

    `message_id` is the client's: a request that is sent again joins the task of the first.
    """

    task_id = models.CharField(max_length=64, unique=True)
    context_id = models.CharField(max_length=200)
    message_id = models.CharField(max_length=200)
    owner = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    assessment = models.OneToOneField(
        "benchmarks.Assessment", on_delete=models.CASCADE, related_name="agent_task"
    )
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["pk"]
        constraints = [
            models.UniqueConstraint(fields=["owner", "message_id"], name="agent_task_sent_once")
        ]

    def __str__(self) -> str:
        return self.task_id
