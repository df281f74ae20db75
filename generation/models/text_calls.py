"""Servers with text models, and every question that was sent to them."""

from django.core.exceptions import ValidationError
from django.db import models
from django.db.models import Q

from annotation.models.columns import one_of
from generation.backends.text.model import ApiStyle, FinishReason, ImageDetail, ReasoningEffort
from generation.backends.text.registry import DEFAULT_PROTOCOL, protocol_choices
from generation.models.calls import Attempt, Call, Use
from generation.models.endpoints import Endpoint, endpoint_constraints, price_column


class TextEndpoint(Endpoint):
    """A server with a text model. Prices are US dollars per million tokens, empty if unknown.

    `protocol` names the adapter that talks to it, `api_style` which of the two kinds of requests an
    OpenAI-compatible server gets. An empty `reasoning_effort` is not sent, so the model uses its
    own default.
    """

    WORD, TITLE = "text_endpoint", "text model"
    API_STYLES = [
        (ApiStyle.CHAT.value, "Chat completions"),
        (ApiStyle.RESPONSES.value, "Responses"),
    ]
    EFFORTS = [
        ("", "Not sent"),
        *((effort.value, effort.value.capitalize()) for effort in ReasoningEffort),
    ]
    DETAILS = [(detail.value, detail.value.capitalize()) for detail in ImageDetail]

    protocol = models.CharField(max_length=32, choices=protocol_choices, default=DEFAULT_PROTOCOL)
    api_style = models.CharField(max_length=12, choices=API_STYLES, default=ApiStyle.CHAT.value)
    supports_images = models.BooleanField(default=False)
    takes_temperature = models.BooleanField(default=True)
    reasoning_effort = models.CharField(max_length=12, choices=EFFORTS, blank=True)
    image_detail = models.CharField(max_length=12, choices=DETAILS, default=ImageDetail.LOW.value)
    price_in = price_column()
    price_out = price_column()

    class Meta(Endpoint.Meta):
        constraints = [
            *endpoint_constraints("text_endpoint"),
            models.CheckConstraint(
                condition=Q(price_in__isnull=True, price_out__isnull=True)
                # Both must be tested for NULL: a comparison with NULL is neither true nor false,
                # and a check constraint lets that pass.
                | Q(price_in__isnull=False, price_out__isnull=False, price_in__gte=0)
                & Q(price_out__gte=0),
                name="text_endpoint_prices_together",
                violation_error_message="Give both prices, none below 0, or neither.",
            ),
        ]

    def clean(self) -> None:
        """Refuse one price without the other."""
        if (self.price_in is None) != (self.price_out is None):
            raise ValidationError({"price_out": "Give both prices, or neither."})

    @property
    def has_prices(self) -> bool:
        return self.price_in is not None


class TextCallStatus(models.TextChoices):
    """The status of a call; answered and unusable calls were paid for and stay for good."""

    WAITING = "waiting", "Waiting"
    ASKING = "asking", "Asking"
    ANSWERED = "answered", "Answered"
    UNUSABLE = "unusable", "Unusable answer"
    FAILED = "failed", "No answer"


class PromptCall(Call):
    """One question in words, perhaps with pictures, that is answered with a text.

    The question is stored word for word, pictures by hash and caption. `model_name` is who was
    asked, `answered_by` who has answered by the server's own account.
    """

    ASKING = TextCallStatus.ASKING
    FAILED = TextCallStatus.FAILED
    SETTLED = (TextCallStatus.ANSWERED, TextCallStatus.UNUSABLE)
    FINISH_REASONS = [(reason.value, reason.value.capitalize()) for reason in FinishReason]

    prompt_version = models.CharField(max_length=64)
    system = models.TextField(blank=True)
    prompt = models.TextField()
    images = models.JSONField(default=list, blank=True)
    schema = models.JSONField(null=True, blank=True)
    status = models.CharField(
        max_length=12, choices=TextCallStatus.choices, default=TextCallStatus.WAITING
    )
    text = models.TextField(blank=True)
    answered_by = models.CharField(max_length=200, blank=True)
    finish_reason = models.CharField(max_length=12, choices=FINISH_REASONS, blank=True)
    tokens_in = models.PositiveIntegerField(default=0)
    tokens_out = models.PositiveIntegerField(default=0)
    seconds = models.FloatField(default=0.0)

    class Meta(Call.Meta):
        abstract = True

    def __str__(self) -> str:
        return f"{self.prompt_version} to {self.model_name}"


class TextCall(PromptCall):
    """One question to a text model."""

    endpoint = models.ForeignKey(
        TextEndpoint, null=True, on_delete=models.SET_NULL, related_name="calls"
    )

    class Meta(PromptCall.Meta):
        constraints = [
            *Call.Meta.constraints,
            one_of("status", TextCallStatus.values, "text_call_status_known"),
        ]


class TextAttempt(Attempt):
    """One request for a question."""

    call = models.ForeignKey(TextCall, on_delete=models.CASCADE, related_name="attempts")
    endpoint = models.ForeignKey(
        TextEndpoint, null=True, on_delete=models.SET_NULL, related_name="attempts"
    )


class TextUse(Use):
    """A payer that read an answer which another had paid for."""

    call = models.ForeignKey(TextCall, on_delete=models.CASCADE, related_name="uses")
