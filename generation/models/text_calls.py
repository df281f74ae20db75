"""Servers with text models, and every question that they were asked."""

from django.db import models
from django.db.models import Q

from generation.backends.text.model import ApiStyle, FinishReason, ImageDetail, ReasoningEffort
from generation.models.endpoints import Endpoint, endpoint_constraints
from generation.models.runs import RunTake


class TextEndpoint(Endpoint):
    """An OpenAI-compatible server. Prices are US dollars per million tokens, empty: unknown.

    An empty `reasoning_effort` is not sent: the model thinks as much as it does by itself.
    """

    WORD = "text_endpoint"
    API_STYLES = [
        (ApiStyle.CHAT.value, "Chat completions"),
        (ApiStyle.RESPONSES.value, "Responses"),
    ]
    EFFORTS = [
        ("", "Not sent"),
        *((effort.value, effort.value.capitalize()) for effort in ReasoningEffort),
    ]
    DETAILS = [(detail.value, detail.value.capitalize()) for detail in ImageDetail]

    api_style = models.CharField(max_length=12, choices=API_STYLES, default=ApiStyle.CHAT.value)
    supports_images = models.BooleanField(default=False)
    takes_temperature = models.BooleanField(default=True)
    reasoning_effort = models.CharField(max_length=12, choices=EFFORTS, blank=True)
    image_detail = models.CharField(max_length=12, choices=DETAILS, default=ImageDetail.LOW.value)
    price_in = models.DecimalField(max_digits=10, decimal_places=4, null=True, blank=True)
    price_out = models.DecimalField(max_digits=10, decimal_places=4, null=True, blank=True)

    class Meta(Endpoint.Meta):
        constraints = [
            *endpoint_constraints("text_endpoint"),
            models.CheckConstraint(
                condition=Q(price_in__isnull=True, price_out__isnull=True)
                # A comparison with NULL is neither true nor false, and a check lets it pass.
                | Q(price_in__isnull=False, price_out__isnull=False, price_in__gte=0)
                & Q(price_out__gte=0),
                name="text_endpoint_prices_together",
                violation_error_message="Give both prices, none below 0, or neither.",
            ),
        ]

    @property
    def has_prices(self) -> bool:
        return self.price_in is not None


class TextCallStatus(models.TextChoices):
    """Where a call stands; answered and unusable answers were paid for and stay for good."""

    WAITING = "waiting", "Waiting"
    ASKING = "asking", "Asking"
    ANSWERED = "answered", "Answered"
    UNUSABLE = "unusable", "Unusable answer"
    FAILED = "failed", "No answer"


class TextCall(models.Model):
    """One question to a text model and what became of it; asked again, it is read from here.

    `key` hashes server, model, API style, prompt version and the whole request. The question is
    kept word for word, pictures by hash and caption. `model_name` is what was asked,
    `answered_by` what the server says it was. `price` is in US dollars, empty where unknown.
    `run_take` is the first that asked, and so the one that paid.
    """

    FINISH_REASONS = [(reason.value, reason.value.capitalize()) for reason in FinishReason]

    key = models.CharField(max_length=64, unique=True)
    endpoint = models.ForeignKey(
        TextEndpoint, null=True, on_delete=models.SET_NULL, related_name="calls"
    )
    run_take = models.ForeignKey(
        RunTake, null=True, blank=True, on_delete=models.SET_NULL, related_name="text_calls"
    )
    base_url = models.CharField(max_length=500)
    model_name = models.CharField(max_length=200)
    prompt_version = models.CharField(max_length=64)
    system = models.TextField(blank=True)
    prompt = models.TextField()
    images = models.JSONField(default=list, blank=True)
    schema = models.JSONField(null=True, blank=True)
    parameters = models.JSONField(default=dict)
    status = models.CharField(
        max_length=12, choices=TextCallStatus.choices, default=TextCallStatus.WAITING
    )
    text = models.TextField(blank=True)
    answered_by = models.CharField(max_length=200, blank=True)
    finish_reason = models.CharField(max_length=12, choices=FINISH_REASONS, blank=True)
    tokens_in = models.PositiveIntegerField(default=0)
    tokens_out = models.PositiveIntegerField(default=0)
    seconds = models.FloatField(default=0.0)
    price = models.DecimalField(max_digits=14, decimal_places=8, null=True, blank=True)
    error_kind = models.CharField(max_length=40, blank=True)
    error = models.TextField(blank=True)
    created_at = models.DateTimeField(auto_now_add=True)
    finished_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["pk"]
        constraints = [
            models.CheckConstraint(
                condition=Q(status__in=TextCallStatus.values), name="text_call_status_known"
            ),
        ]
        # The price is in it, so that what a run has spent is summed without reading long texts.
        indexes = [
            models.Index(fields=["run_take", "status", "price"], name="text_call_price_by_take")
        ]

    def __str__(self) -> str:
        return f"{self.prompt_version} to {self.model_name}"


class TextUse(models.Model):
    """A take that read an answer which another take, or a command, had paid for."""

    call = models.ForeignKey(TextCall, on_delete=models.CASCADE, related_name="uses")
    run_take = models.ForeignKey(RunTake, on_delete=models.CASCADE, related_name="text_uses")
    used_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["run_take", "call"], name="text_use_once"),
        ]

    def __str__(self) -> str:
        return f"call {self.call_id} read by take {self.run_take_id}"


class TextAttempt(models.Model):
    """One request that went out for a call, written before it goes.

    An attempt without `ended_at` whose lease ran out belongs to a process that died: whether the
    server answered, and was paid, is not known. `reserved_price` is the most that it can cost.
    `outcome` is "answered" or the name of the error. `asked_by` names the command that asks, empty
    for a run.
    """

    call = models.ForeignKey(TextCall, on_delete=models.CASCADE, related_name="attempts")
    endpoint = models.ForeignKey(
        TextEndpoint, null=True, on_delete=models.SET_NULL, related_name="attempts"
    )
    started_at = models.DateTimeField()
    lease_until = models.DateTimeField()
    ended_at = models.DateTimeField(null=True, blank=True)
    reserved_price = models.DecimalField(max_digits=14, decimal_places=8, null=True, blank=True)
    outcome = models.CharField(max_length=40, blank=True)
    asked_by = models.CharField(max_length=200, blank=True)

    class Meta:
        ordering = ["pk"]
        indexes = [
            models.Index(fields=["endpoint", "started_at"], name="text_attempt_by_start"),
            models.Index(
                fields=["endpoint", "lease_until"],
                condition=Q(ended_at__isnull=True),
                name="text_attempt_open",
            ),
            # The few requests that may have cost something and brought nothing.
            models.Index(
                fields=["call", "reserved_price"],
                condition=Q(ended_at__isnull=True) | Q(outcome__in=["lost", "NoAnswerInTimeError"]),
                name="text_attempt_may_have_cost",
            ),
        ]

    def __str__(self) -> str:
        return f"attempt {self.pk} of call {self.call_id}"
