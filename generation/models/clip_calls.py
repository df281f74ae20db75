"""Providers of clips, every clip that was ordered from them, and every attempt to get it."""

from django.db import models
from django.db.models import Q

from annotation.models.columns import one_of
from generation.backends.video.providers.adapter import Adapter
from generation.backends.video.providers.exceptions import SettingsError
from generation.backends.video.providers.offers import read_lengths, read_sizes
from generation.backends.video.providers.provider import Offer, Prices
from generation.backends.video.providers.registry import provider
from generation.models.calls import Attempt, Call, Use
from generation.models.endpoints import (
    CONCURRENCY,
    Endpoint,
    endpoint_constraints,
    price_column,
)
from generation.models.setting_ranges import Range

# How long a job may take at the provider, unless the endpoint is set otherwise.
DEFAULT_JOB_TIMEOUT_S = 1800


class VideoEndpoint(Endpoint):
    """A provider of clips: an address that one of the adapters can talk to.

    `provider` is the adapter's name. `timeout_s` is how long a job may take there; `concurrency`
    counts jobs. A key pair has a colon between its halves. `price_per_second` is in US dollars per
    second of clip, empty if it is unknown or the service publishes it. `lengths`, `sizes` and
    `takes_last_frame` describe what a self-hosted server makes; `card` is what a service publishes
    about its model, as read at `card_read_at`.
    """

    WORD, TITLE = "video_endpoint", "video model"

    provider = models.CharField(max_length=32)
    concurrency = models.PositiveSmallIntegerField(default=2, validators=[CONCURRENCY])
    # A provider may queue a clip for hours.
    timeout_s = models.PositiveSmallIntegerField(
        default=DEFAULT_JOB_TIMEOUT_S, validators=[Range(1, 6 * 60 * 60)]
    )
    price_per_second = price_column()
    lengths = models.CharField(max_length=200, blank=True)
    sizes = models.CharField(max_length=400, blank=True)
    takes_last_frame = models.BooleanField(default=False)
    card = models.JSONField(default=dict, blank=True, editable=False)
    card_read_at = models.DateTimeField(null=True, blank=True, editable=False)

    class Meta(Endpoint.Meta):
        constraints = [
            *endpoint_constraints("video_endpoint"),
            models.CheckConstraint(condition=~Q(provider=""), name="video_endpoint_has_provider"),
            models.CheckConstraint(
                condition=Q(price_per_second__isnull=True) | Q(price_per_second__gte=0),
                name="video_endpoint_price_not_negative",
                violation_error_message="The price is below 0.",
            ),
        ]

    def adapter(self) -> Adapter:
        """The adapter with the limits of this model; raises SettingsError."""
        try:
            lengths_s, sizes = read_lengths(self.lengths), read_sizes(self.sizes)
        except ValueError as error:
            raise SettingsError(str(error).removesuffix(".")) from error
        offer = Offer(lengths_s, sizes, self.takes_last_frame, self.card)
        return provider(self.provider).fitted(self.model_name, self.base_url, offer)

    @property
    def provider_title(self) -> str:
        """The name of the provider on pages; its bare id if its adapter no longer exists."""
        try:
            return provider(self.provider).title
        except SettingsError:
            return self.provider.capitalize()

    @property
    def fault(self) -> str:
        """Why no clip can be ordered here; empty if one can."""
        try:
            self.adapter()
        except SettingsError as error:
            return f"{error}."
        return ""

    @property
    def prices(self) -> Prices | None:
        """What clips cost: as typed by a user, else as published by the service."""
        if self.price_per_second is not None:
            return Prices(self.price_per_second)
        try:
            return self.adapter().prices(self.model_name)
        except SettingsError:
            return None

    @property
    def has_prices(self) -> bool:
        return self.prices is not None


class ClipCallStatus(models.TextChoices):
    """The status of an order. `running` and `unusable` have a job that can be fetched by its id.

    `unclear` differs from `failed` because a job whose id nobody knows may be running.
    """

    ORDERING = "ordering", "Being ordered"
    RUNNING = "running", "Running at the provider"
    MADE = "made", "Made"
    UNUSABLE = "unusable", "Made, but not usable"
    REFUSED = "refused", "Refused by moderation"
    UNCLEAR = "unclear", "Perhaps ordered"
    FAILED = "failed", "No clip"


class ClipCall(Call):
    """One clip that was ordered.

    `prompt` includes the style lock; `anchors` are the hashes of the frames that were sent,
    `parameters` size and sample. `job_id` is the provider's id for its work. `path` is the
    provider's own file, relative to the media folder. `notes` say what is unexpected about a file
    that can still be used.
    """

    ASKING = ClipCallStatus.ORDERING
    FAILED = ClipCallStatus.FAILED
    SETTLED = (ClipCallStatus.MADE, ClipCallStatus.REFUSED)
    ASKED_AGAIN = {"job_id": ""}

    endpoint = models.ForeignKey(
        VideoEndpoint, null=True, on_delete=models.SET_NULL, related_name="calls"
    )
    provider = models.CharField(max_length=32)
    prompt = models.TextField()
    anchors = models.JSONField(default=dict)
    duration_s = models.PositiveSmallIntegerField()
    status = models.CharField(
        max_length=12, choices=ClipCallStatus.choices, default=ClipCallStatus.ORDERING
    )
    job_id = models.CharField(max_length=256, blank=True)
    path = models.CharField(max_length=500, blank=True)
    byte_count = models.PositiveBigIntegerField(default=0)
    notes = models.TextField(blank=True)

    class Meta(Call.Meta):
        constraints = [
            *Call.Meta.constraints,
            one_of("status", ClipCallStatus.values, "clip_call_status_known"),
            models.CheckConstraint(
                condition=~Q(status=ClipCallStatus.MADE) | ~Q(path=""),
                name="clip_call_made_has_path",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.duration_s} s from {self.provider}"

    @property
    def shown_state(self) -> str:
        """The state of a job that pages show in the same way."""
        if self.status in {ClipCallStatus.ORDERING, ClipCallStatus.RUNNING}:
            return "running"
        return "done" if self.status == ClipCallStatus.MADE else "failed"


class ClipAttempt(Attempt):
    """One worker's attempt at a clip: it orders the clip or, with `resumes`, fetches its job.

    `reserved_price` is empty for an attempt that resumes. `reported_cost` is what the provider
    itself says, in its `reported_unit`.
    """

    call = models.ForeignKey(ClipCall, on_delete=models.CASCADE, related_name="attempts")
    endpoint = models.ForeignKey(
        VideoEndpoint, null=True, on_delete=models.SET_NULL, related_name="attempts"
    )
    job_id = models.CharField(max_length=256, blank=True)
    reported_cost = models.DecimalField(max_digits=16, decimal_places=6, null=True, blank=True)
    reported_unit = models.CharField(max_length=8, blank=True)


class ClipUse(Use):
    """A payer that used a clip which another had paid for."""

    call = models.ForeignKey(ClipCall, on_delete=models.CASCADE, related_name="uses")
