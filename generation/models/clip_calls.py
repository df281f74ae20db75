"""Providers of clips, every clip that they were asked for, and every try to get it."""

from django.db import models
from django.db.models import Q

from generation.backends.video.providers.exceptions import SettingsError
from generation.backends.video.providers.offers import read_lengths, read_sizes
from generation.backends.video.providers.provider import Offer, Prices, Provider
from generation.backends.video.providers.registry import provider
from generation.models.endpoints import Endpoint, endpoint_constraints
from generation.models.runs import RunTake

# How long a job may take at the provider, unless somebody says otherwise.
DEFAULT_JOB_TIMEOUT_S = 1800


class VideoEndpoint(Endpoint):
    """A provider of clips: an address that one of the adapters knows how to talk to.

    `provider` is the adapter's name. `timeout_s` is how long a job may take there; `concurrency`
    counts jobs. A key pair has a colon between its halves. `price_per_second` is in US dollars per
    second of clip, empty where it is unknown or the service says it. `lengths`, `sizes` and
    `takes_last_frame` say what a server of one's own makes; `card` is what a service says of its
    model, as read at `card_read_at`.
    """

    WORD = "video_endpoint"

    provider = models.CharField(max_length=32)
    concurrency = models.PositiveSmallIntegerField(default=2)
    timeout_s = models.PositiveSmallIntegerField(default=DEFAULT_JOB_TIMEOUT_S)
    price_per_second = models.DecimalField(max_digits=10, decimal_places=4, null=True, blank=True)
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

    def adapter(self) -> Provider:
        """Return the adapter with the limits of this model; raises SettingsError."""
        try:
            lengths_s, sizes = read_lengths(self.lengths), read_sizes(self.sizes)
        except ValueError as error:
            raise SettingsError(str(error).removesuffix(".")) from error
        offer = Offer(lengths_s, sizes, self.takes_last_frame, self.card)
        return provider(self.provider).fitted(self.model_name, self.base_url, offer)

    @property
    def provider_title(self) -> str:
        """Return what pages call the provider; its bare name where its adapter is gone."""
        try:
            return provider(self.provider).title
        except SettingsError:
            return self.provider.capitalize()

    @property
    def fault(self) -> str:
        """Return why no clip can be ordered here, empty where nothing stands in the way."""
        try:
            self.adapter()
        except SettingsError as error:
            return f"{error}."
        return ""

    @property
    def prices(self) -> Prices | None:
        """Return what clips cost: as somebody typed it, else as the service says."""
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
    """Where a clip stands. `running` and `unusable` have a job that is asked again by its id.

    `unclear` is told apart from `failed` because a job may be running that nobody knows the id of.
    """

    ORDERING = "ordering", "Being ordered"
    RUNNING = "running", "Running at the provider"
    MADE = "made", "Made"
    UNUSABLE = "unusable", "Made, but not usable"
    REFUSED = "refused", "Refused by moderation"
    UNCLEAR = "unclear", "Perhaps ordered"
    FAILED = "failed", "No clip"


class ClipCall(models.Model):
    """One clip that was ordered and what became of it; ordered again, it is read from here.

    `key` hashes provider, address, model and the whole order. `prompt` holds the style lock too;
    `anchors` are the hashes of the frames that went along, `parameters` size and sample. `job_id`
    is the provider's name for its work. `path` is the provider's own file, relative to the media
    folder. `run_take` is the last that ordered, and so the one that paid. `notes` say what is
    unexpected about a file that can be used all the same.
    """

    key = models.CharField(max_length=64, unique=True)
    endpoint = models.ForeignKey(
        VideoEndpoint, null=True, on_delete=models.SET_NULL, related_name="calls"
    )
    run_take = models.ForeignKey(
        RunTake, null=True, blank=True, on_delete=models.SET_NULL, related_name="clip_calls"
    )
    provider = models.CharField(max_length=32)
    base_url = models.CharField(max_length=500)
    model_name = models.CharField(max_length=200)
    prompt = models.TextField()
    anchors = models.JSONField(default=dict)
    duration_s = models.PositiveSmallIntegerField()
    parameters = models.JSONField(default=dict)
    status = models.CharField(
        max_length=12, choices=ClipCallStatus.choices, default=ClipCallStatus.ORDERING
    )
    job_id = models.CharField(max_length=256, blank=True)
    path = models.CharField(max_length=500, blank=True)
    byte_count = models.PositiveBigIntegerField(default=0)
    notes = models.TextField(blank=True)
    error_kind = models.CharField(max_length=40, blank=True)
    error = models.TextField(blank=True)
    created_at = models.DateTimeField(auto_now_add=True)
    finished_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["pk"]
        constraints = [
            models.CheckConstraint(
                condition=Q(status__in=ClipCallStatus.values), name="clip_call_status_known"
            ),
            models.CheckConstraint(
                condition=~Q(status=ClipCallStatus.MADE) | ~Q(path=""),
                name="clip_call_made_has_path",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.duration_s} s from {self.provider}"

    @property
    def shown_state(self) -> str:
        """Return the state of a job that looks like this one's."""
        if self.status in {ClipCallStatus.ORDERING, ClipCallStatus.RUNNING}:
            return "running"
        return "done" if self.status == ClipCallStatus.MADE else "failed"


class ClipAttempt(models.Model):
    """One worker's try at a clip, written before anything is sent.

    It orders the clip, or, with `resumes`, asks again for a job that was ordered before. An attempt
    without `ended_at` whose lease ran out belongs to a process that died. `reserved_price` is what
    the order costs at most, empty for one that resumes or without a known price; `price` is set
    once it is known what the job costs, `is_free` where the provider surely did not take the order.
    `reported_cost` is what the provider itself says, in its `reported_unit`. `outcome` is "made" or
    the name of the error.
    """

    call = models.ForeignKey(ClipCall, on_delete=models.CASCADE, related_name="attempts")
    endpoint = models.ForeignKey(
        VideoEndpoint, null=True, on_delete=models.SET_NULL, related_name="attempts"
    )
    run_take = models.ForeignKey(
        RunTake, null=True, blank=True, on_delete=models.SET_NULL, related_name="clip_attempts"
    )
    resumes = models.BooleanField(default=False)
    job_id = models.CharField(max_length=256, blank=True)
    started_at = models.DateTimeField()
    lease_until = models.DateTimeField()
    ended_at = models.DateTimeField(null=True, blank=True)
    reserved_price = models.DecimalField(max_digits=12, decimal_places=4, null=True, blank=True)
    price = models.DecimalField(max_digits=12, decimal_places=4, null=True, blank=True)
    is_free = models.BooleanField(default=False)
    reported_cost = models.DecimalField(max_digits=16, decimal_places=6, null=True, blank=True)
    reported_unit = models.CharField(max_length=8, blank=True)
    outcome = models.CharField(max_length=40, blank=True)
    reason = models.TextField(blank=True)

    class Meta:
        ordering = ["pk"]
        indexes = [
            models.Index(fields=["endpoint", "started_at"], name="clip_attempt_by_start"),
            models.Index(
                fields=["endpoint", "lease_until"],
                condition=Q(ended_at__isnull=True),
                name="clip_attempt_open",
            ),
        ]

    def __str__(self) -> str:
        return f"attempt {self.pk} of clip {self.call_id}"

    @property
    def may_have_cost(self) -> bool:
        """Return whether it may have been paid for without a clip to show for it."""
        is_open = self.price is None and not self.is_free and not self.resumes
        return is_open and self.reserved_price is not None

    @property
    def seconds(self) -> float | None:
        """Return how long it took, None while it goes on."""
        return None if self.ended_at is None else (self.ended_at - self.started_at).total_seconds()
