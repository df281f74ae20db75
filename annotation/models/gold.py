"""Gold, and what it is used for: checks in a round, training, and who passed."""

from django.conf import settings
from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.db.models import Q

from annotation.models.campaign import Campaign
from annotation.models.columns import one_of
from annotation.models.corpus import Event, Trace, new_public_id
from annotation.models.people import user_column
from annotation.models.rating import METRIC_CHARACTERS
from annotation.models.round import Assignment, Round

SHARE = [MinValueValidator(0.0), MaxValueValidator(1.0)]


class GoldSource(models.TextChoices):
    """Where the accepted answers come from."""

    EXPERT = "expert", "An expert"
    TRAP = "trap", "Designed as a trap"
    CONSENSUS = "consensus", "All raters of a round"


class GoldItem(models.Model):
    """Which answers to one question about an event, or about the trace, are accepted.

    `accepted` lists values of the metric; `band` accepts those of a 1-5 scale that are so far from
    them as well. `round` is where a consensus was reached. A retired one counts nowhere any more.
    """

    public_id = models.CharField(max_length=16, unique=True, default=new_public_id, editable=False)
    campaign = models.ForeignKey(Campaign, on_delete=models.CASCADE, related_name="gold")
    trace = models.ForeignKey(Trace, on_delete=models.CASCADE, related_name="gold")
    event = models.ForeignKey(
        Event, null=True, blank=True, on_delete=models.CASCADE, related_name="gold"
    )
    metric = models.CharField(max_length=METRIC_CHARACTERS)
    accepted = models.JSONField()
    band = models.PositiveSmallIntegerField(default=0)
    reason = models.TextField()
    source = models.CharField(max_length=12, choices=GoldSource.choices, default=GoldSource.EXPERT)
    round = models.ForeignKey(
        Round, null=True, blank=True, on_delete=models.SET_NULL, related_name="+"
    )
    made_by = user_column("+")
    made_at = models.DateTimeField(auto_now_add=True)
    retired_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["campaign", "trace", "event", "pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["campaign", "event", "metric"],
                name="gold_once_per_event",
                condition=Q(event__isnull=False, retired_at__isnull=True),
            ),
            models.UniqueConstraint(
                fields=["campaign", "trace", "metric"],
                name="gold_once_per_trace",
                condition=Q(event__isnull=True, retired_at__isnull=True),
            ),
            one_of("source", GoldSource.values, "gold_source_known"),
        ]

    def __str__(self) -> str:
        return f"{self.metric} of {self.event_id or self.trace_id}"


class RoundChecks(models.Model):
    """What a round gives its raters beside ordinary traces, and what its training asks of them.

    The counts are per rater. A repeat comes after at least `repeat_gap` other traces. The shares
    are the rule by which a training round is passed; an attempt has `traces_per_attempt` traces,
    all if null. Of another round `qualified_by` is the training that lets people in.
    """

    round = models.OneToOneField(
        Round, on_delete=models.CASCADE, primary_key=True, related_name="checks"
    )
    gold_count = models.PositiveSmallIntegerField(default=0)
    trap_count = models.PositiveSmallIntegerField(default=0)
    repeat_count = models.PositiveSmallIntegerField(default=0)
    repeat_gap = models.PositiveSmallIntegerField(default=10)
    pass_overall = models.FloatField(default=0.8, validators=SHARE)
    pass_per_metric = models.FloatField(default=0.6, validators=SHARE)
    traces_per_attempt = models.PositiveSmallIntegerField(
        null=True, blank=True, validators=[MinValueValidator(1)]
    )
    most_attempts = models.PositiveSmallIntegerField(
        null=True, blank=True, default=3, validators=[MinValueValidator(1)]
    )
    qualified_by = models.ForeignKey(
        Round, null=True, blank=True, on_delete=models.SET_NULL, related_name="lets_into"
    )

    def __str__(self) -> str:
        return f"checks of round {self.round_id}"

    @property
    def overall_percent(self) -> int:
        return round(self.pass_overall * 100)

    @property
    def metric_percent(self) -> int:
        return round(self.pass_per_metric * 100)


class Qualification(models.Model):
    """One rater in one training round, hence under one guideline version.

    Who did not pass can be let in by somebody, with a written reason.
    """

    round = models.ForeignKey(Round, on_delete=models.CASCADE, related_name="qualifications")
    rater = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="qualifications"
    )
    passed_at = models.DateTimeField(null=True, blank=True)
    let_in_at = models.DateTimeField(null=True, blank=True)
    let_in_by = user_column("+")
    let_in_reason = models.TextField(blank=True)

    class Meta:
        ordering = ["round", "rater"]
        constraints = [
            models.UniqueConstraint(fields=["round", "rater"], name="qualification_once"),
            models.CheckConstraint(
                condition=Q(let_in_at__isnull=True) | ~Q(let_in_reason=""),
                name="qualification_reason_given",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.rater_id} in training {self.round_id}"

    @property
    def is_qualified(self) -> bool:
        return self.passed_at is not None or self.let_in_at is not None


class TrainingAttempt(models.Model):
    """One go at a training; `right` and `asked` count answers by metric once it is finished."""

    qualification = models.ForeignKey(
        Qualification, on_delete=models.CASCADE, related_name="attempts"
    )
    number = models.PositiveSmallIntegerField()
    started_at = models.DateTimeField(auto_now_add=True)
    finished_at = models.DateTimeField(null=True, blank=True)
    right = models.JSONField(default=dict, blank=True)
    asked = models.JSONField(default=dict, blank=True)
    is_passed = models.BooleanField(default=False)

    class Meta:
        ordering = ["qualification", "number"]
        constraints = [
            models.UniqueConstraint(fields=["qualification", "number"], name="attempt_once"),
        ]

    def __str__(self) -> str:
        return f"attempt {self.number} of {self.qualification_id}"


class TrainingTrace(models.Model):
    """One trace of an attempt; `answers` is what the rater answered and what was accepted then.

    Each of them is event (index or null), metric, value, accepted (values), is_right and reason.
    They stay as they were when gold is changed later.
    """

    attempt = models.ForeignKey(TrainingAttempt, on_delete=models.CASCADE, related_name="traces")
    assignment = models.ForeignKey(
        Assignment, on_delete=models.CASCADE, related_name="training_traces"
    )
    answers = models.JSONField(default=list, blank=True)
    scored_at = models.DateTimeField(null=True, blank=True)
    feedback_shown_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["attempt", "pk"]
        constraints = [
            models.UniqueConstraint(fields=["attempt", "assignment"], name="training_trace_once"),
        ]

    def __str__(self) -> str:
        return f"trace {self.assignment_id} of attempt {self.attempt_id}"
