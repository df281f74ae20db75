"""Ratings: an append-only log of every change, and the current values derived from it."""

from django.db import models
from django.db.models import Q

from annotation.models.corpus import Event
from annotation.models.round import Assignment, GuidelineVersion

METRIC_CHARACTERS = 32
VALUE_CHARACTERS = 4
REASON_CHARACTERS = 16
KIND_CHARACTERS = 20


class Rated(models.Model):
    """What is kept of every answer, as it was received and as it is now.

    `guideline` is the version that the rater answered by, null where nobody knows it; `rated_at` is
    null where an imported table does not tell it. `client_id` names the browser tab (or import).
    """

    metric = models.CharField(max_length=METRIC_CHARACTERS)
    value = models.CharField(max_length=VALUE_CHARACTERS, blank=True)
    confidence = models.PositiveSmallIntegerField(null=True, blank=True)
    cannot_judge = models.CharField(max_length=REASON_CHARACTERS, blank=True, default="")
    is_implied = models.BooleanField(default=False)
    revision = models.PositiveIntegerField()
    client_id = models.CharField(max_length=40)
    guideline = models.ForeignKey(
        GuidelineVersion,
        null=True,
        blank=True,
        on_delete=models.RESTRICT,
        related_name="+",
        db_index=False,
    )
    rated_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        abstract = True

    def __str__(self) -> str:
        return f"{self.metric} = {self.value or 'cleared'}"


class RatingEvent(Rated):
    """One change of one value, as it was received; rows are added and never altered.

    `client_sequence` counts the changes of the client, so the same change sent twice is known. An
    empty `value` clears the rating, or says with a reason in `cannot_judge` that the rater cannot
    give one. Rows with `is_implied` were made by a skip rule on account of the change with the same
    sequence.
    """

    assignment = models.ForeignKey(
        Assignment, on_delete=models.CASCADE, related_name="rating_events"
    )
    event = models.ForeignKey(
        Event, null=True, blank=True, on_delete=models.PROTECT, related_name="rating_events"
    )
    client_sequence = models.PositiveBigIntegerField()
    received_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["assignment", "pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["assignment", "client_id", "client_sequence", "metric"],
                name="rating_event_once",
            ),
        ]


class Rating(Rated):
    """The current value of one metric of one event, or of the whole trace where `event` is null.

    `revision` counts the changes of this value; a save that was based on an older one is refused.
    A cleared rating keeps its row with an empty `value`, so that its revision is not forgotten.
    `reference_watched_s` and `trace_watched_s` are what an imported table says; of ratings that
    were made on this site, `Viewing` knows it.
    """

    assignment = models.ForeignKey(Assignment, on_delete=models.CASCADE, related_name="ratings")
    event = models.ForeignKey(
        Event, null=True, blank=True, on_delete=models.PROTECT, related_name="ratings"
    )
    reference_watched_s = models.FloatField(null=True, blank=True)
    trace_watched_s = models.FloatField(null=True, blank=True)

    class Meta:
        ordering = ["assignment", "event", "metric"]
        constraints = [
            models.UniqueConstraint(
                fields=["assignment", "event", "metric"],
                name="rating_once_per_event",
                condition=Q(event__isnull=False),
            ),
            models.UniqueConstraint(
                fields=["assignment", "metric"],
                name="rating_once_per_trace",
                condition=Q(event__isnull=True),
            ),
            models.CheckConstraint(
                condition=Q(confidence__isnull=True) | Q(confidence__range=(1, 3)),
                name="rating_confidence_in_scale",
            ),
            models.CheckConstraint(
                condition=Q(cannot_judge="") | Q(value="", confidence__isnull=True),
                name="rating_value_or_reason",
            ),
        ]
        indexes = [
            # Few ratings have a reason; the page of a campaign lists them all.
            models.Index(
                fields=["assignment"], name="rating_unjudged", condition=~Q(cannot_judge="")
            ),
        ]


class Viewing(models.Model):
    """What the rater of an assignment has watched: evidence, and no more than that.

    `reference` and `trace` hold [start s, end s, first watched at (s since 1970)] without overlaps.
    They count for one version of the trace only, `content`. `opened_at` is when the page was first
    opened, which bounds what can have been watched; `refused_s` is what was claimed beyond.
    """

    assignment = models.OneToOneField(Assignment, on_delete=models.CASCADE, related_name="viewing")
    content = models.CharField(max_length=16)
    opened_at = models.DateTimeField()
    reference = models.JSONField(default=list, blank=True)
    trace = models.JSONField(default=list, blank=True)
    refused_s = models.FloatField(default=0.0)
    updated_at = models.DateTimeField(auto_now=True)

    def __str__(self) -> str:
        return f"viewing of {self.assignment_id}"


class Remark(models.Model):
    """What a rater said about an event or the trace; a changed text is a row of its own.

    `is_current` marks the last text of each kind; an empty one takes the remark back.
    """

    assignment = models.ForeignKey(Assignment, on_delete=models.CASCADE, related_name="remarks")
    event = models.ForeignKey(
        Event, null=True, blank=True, on_delete=models.PROTECT, related_name="remarks"
    )
    kind = models.CharField(max_length=KIND_CHARACTERS)
    text = models.TextField(blank=True)
    revision = models.PositiveIntegerField()
    is_current = models.BooleanField(default=True)
    client_id = models.CharField(max_length=40)
    client_sequence = models.PositiveBigIntegerField()
    written_at = models.DateTimeField()
    received_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["assignment", "pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["assignment", "client_id", "client_sequence"], name="remark_once"
            ),
            models.UniqueConstraint(
                fields=["assignment", "event", "kind"],
                name="remark_current_once_per_event",
                condition=Q(is_current=True, event__isnull=False),
            ),
            models.UniqueConstraint(
                fields=["assignment", "kind"],
                name="remark_current_once_per_trace",
                condition=Q(is_current=True, event__isnull=True),
            ),
        ]

    def __str__(self) -> str:
        return f"{self.kind}: {self.text[:40]}"
