"""Rounds: people work through a set of things under one guideline; and who works at what."""

from django.conf import settings
from django.db import models
from django.db.models import Q

from annotation.engine.corpus.step_words import StepWords
from annotation.models.campaign import Campaign
from annotation.models.columns import one_of
from annotation.models.corpus import Trace, new_public_id
from annotation.models.people import user_column
from annotation.models.round_kinds import RATINGS, RoundKind, kind_called

CONTENT_HASH_CHARACTERS = 64


class Phase(models.TextChoices):
    """Pilot rounds sharpen the guideline, main rounds are reported, training rounds teach."""

    TRAINING = "training", "Training"
    PILOT = "pilot", "Pilot"
    MAIN = "main", "Main"


class GuidelineVersion(models.Model):
    """The text that people work by, which never changes once a round was opened with it.

    `text` has the shape of `engine.campaigns.guideline.GuidelineText.to_dict`, or the one that
    another kind of round gives it. An old version of which only the name is known has an empty text
    and no hash. `examples` are objects of
    metric, trace (public id), event (index) and note. `changes` says what differs from `parent` and
    why. `content_hash` is the SHA-256 of text and examples.
    """

    public_id = models.CharField(max_length=16, unique=True, default=new_public_id, editable=False)
    campaign = models.ForeignKey(
        Campaign, on_delete=models.CASCADE, related_name="guideline_versions"
    )
    kind = models.CharField(max_length=12, default=RATINGS)
    number = models.PositiveIntegerField()
    name = models.CharField(max_length=32)
    text = models.JSONField(default=dict, blank=True)
    examples = models.JSONField(default=list, blank=True)
    # The traces that the examples show: who works by the version may watch them.
    example_traces = models.ManyToManyField(Trace, related_name="+", blank=True)
    changes = models.TextField(blank=True)
    author = user_column("+")
    parent = models.ForeignKey(
        "self", null=True, blank=True, on_delete=models.SET_NULL, related_name="children"
    )
    created_at = models.DateTimeField(auto_now_add=True)
    frozen_at = models.DateTimeField(null=True, blank=True)
    content_hash = models.CharField(max_length=CONTENT_HASH_CHARACTERS, blank=True)

    class Meta:
        ordering = ["campaign", "kind", "number"]
        constraints = [
            models.UniqueConstraint(
                fields=["campaign", "kind", "number"], name="guideline_number_once"
            ),
            models.UniqueConstraint(
                fields=["campaign", "kind", "name"], name="guideline_name_once"
            ),
            models.CheckConstraint(
                condition=Q(content_hash="") | Q(frozen_at__isnull=False),
                name="guideline_hash_when_frozen",
            ),
        ]

    def __str__(self) -> str:
        return self.name

    @property
    def is_frozen(self) -> bool:
        return self.frozen_at is not None

    @property
    def round_kind(self) -> RoundKind:
        return kind_called(self.kind)


class GuidelineReading(models.Model):
    """Somebody's confirmation of having read a version; it goes with the person."""

    version = models.ForeignKey(GuidelineVersion, on_delete=models.CASCADE, related_name="readings")
    rater = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="guideline_readings"
    )
    read_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["version", "read_at"]
        constraints = [
            models.UniqueConstraint(fields=["version", "rater"], name="guideline_read_once"),
        ]

    def __str__(self) -> str:
        return f"version {self.version_id} read by {self.rater_id}"


class Round(models.Model):
    """One pass of people over a set of things: k of them on each, under one guideline version.

    What a kind of round needs besides lies in a table of its own, see `RatingRound`. `overlap` is
    k. `seed` draws what is to be done, gives it out, and orders every person's queue. A round that
    is not opened yet can be changed; a closed one never is.
    """

    public_id = models.CharField(max_length=16, unique=True, default=new_public_id, editable=False)
    campaign = models.ForeignKey(Campaign, on_delete=models.CASCADE, related_name="rounds")
    number = models.PositiveIntegerField()
    kind = models.CharField(max_length=12, default=RATINGS)
    phase = models.CharField(max_length=8, choices=Phase.choices, default=Phase.MAIN)
    guideline = models.ForeignKey(
        GuidelineVersion, on_delete=models.RESTRICT, related_name="rounds"
    )
    overlap = models.PositiveSmallIntegerField(default=3)
    seed = models.PositiveBigIntegerField(default=0)
    stop_rule = models.TextField(blank=True)
    created_at = models.DateTimeField(auto_now_add=True)
    opened_at = models.DateTimeField(null=True, blank=True)
    closed_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["campaign", "number"]
        constraints = [
            models.UniqueConstraint(fields=["campaign", "number"], name="round_number_once"),
            models.CheckConstraint(condition=Q(overlap__gte=1), name="round_overlap_positive"),
            one_of("phase", Phase.values, "round_phase_known"),
            models.CheckConstraint(
                condition=Q(closed_at__isnull=True) | Q(opened_at__isnull=False),
                name="round_closed_after_opened",
            ),
        ]

    def __str__(self) -> str:
        return f"round {self.number} of {self.campaign_id}"

    @property
    def round_kind(self) -> RoundKind:
        return kind_called(self.kind)

    @property
    def is_open(self) -> bool:
        return self.opened_at is not None and self.closed_at is None

    @property
    def is_closed(self) -> bool:
        return self.closed_at is not None


class RatingRound(models.Model):
    """What a round of ratings has besides: the rubric, and the traces that are rated.

    With `has_all_traces` they are all traces of the campaign's data sets, those too that come
    later; else they were drawn or chosen when the round was planned and stay the same:
    `drawn_from` says out of which (`TraceChoice`), and is empty for rounds from before it was kept.
    `step_words` is what raters of an opened round see of changes; it comes from the plan of the
    campaign.
    """

    round = models.OneToOneField(
        Round, on_delete=models.CASCADE, primary_key=True, related_name="ratings"
    )
    rubric_version = models.CharField(max_length=16)
    step_words = models.CharField(max_length=12, default=StepWords.ARROWS)
    has_all_traces = models.BooleanField(default=True)
    drawn_from = models.JSONField(default=dict, blank=True)
    traces = models.ManyToManyField(Trace, related_name="rating_rounds", blank=True)

    class Meta:
        constraints = [one_of("step_words", StepWords, "rating_round_step_words_known")]

    def __str__(self) -> str:
        return f"ratings of round {self.round_id}"


class RoundRater(models.Model):
    """A person who works in a round."""

    round = models.ForeignKey(Round, on_delete=models.CASCADE, related_name="raters")
    rater = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="round_memberships"
    )
    joined_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["round", "joined_at", "pk"]
        constraints = [
            models.UniqueConstraint(fields=["round", "rater"], name="round_rater_once"),
        ]

    def __str__(self) -> str:
        return f"{self.rater_id} in round {self.round_id}"


class AssignmentStatus(models.TextChoices):
    """A submitted assignment can be reopened until its round closes."""

    OPEN = "open", "Open"
    SUBMITTED = "submitted", "Submitted"


class Purpose(models.TextChoices):
    """Why a rater has a trace. Only ordinary ones count for k and for figures between raters.

    Raters are never told: a page, an answer of the API and an address look alike for all of them.
    """

    ORDINARY = "ordinary", "Ordinary"
    GOLD = "gold", "Gold"
    REPEAT = "repeat", "Repeat"


class Assignment(models.Model):
    """One rater's reservation of one trace; `position` is its 0-based place in the queue.

    `change_count` counts the changes of its ratings. Whatever changes a rating raises it in the
    same transaction, so that figures of a million ratings know at once how many came in since.
    The same services keep what pages say of a rater's work: how many answers stand now
    (`rated_count`), how many events were ever answered, when the last answer was given, and the
    seconds between answers with long gaps cut (`worked_s`).

    A skipped one comes after all others. `is_without_video` says that the rater could not or would
    not use the trace's video, so that its metrics are not applicable here.

    `is_informed` says that the rater could have seen sources, planned types or others' answers
    before: a researcher to whom they were open when the reservation was made or taken up again.
    """

    public_id = models.CharField(max_length=16, unique=True, default=new_public_id, editable=False)
    round = models.ForeignKey(Round, on_delete=models.CASCADE, related_name="assignments")
    rater = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="assignments"
    )
    trace = models.ForeignKey(Trace, on_delete=models.PROTECT, related_name="assignments")
    purpose = models.CharField(max_length=8, choices=Purpose.choices, default=Purpose.ORDINARY)
    position = models.PositiveIntegerField()
    status = models.CharField(
        max_length=12, choices=AssignmentStatus.choices, default=AssignmentStatus.OPEN
    )
    is_informed = models.BooleanField(default=False)
    started_at = models.DateTimeField(null=True, blank=True)
    submitted_at = models.DateTimeField(null=True, blank=True)
    change_count = models.PositiveIntegerField(default=0)
    rated_count = models.PositiveIntegerField(default=0)
    answered_event_count = models.PositiveIntegerField(default=0)
    last_answer_at = models.DateTimeField(null=True, blank=True)
    worked_s = models.FloatField(default=0.0)
    skipped_at = models.DateTimeField(null=True, blank=True)
    is_without_video = models.BooleanField(default=False)

    class Meta:
        ordering = ["round", "rater", "position"]
        constraints = [
            models.UniqueConstraint(
                fields=["round", "rater", "trace", "purpose"],
                name="assignment_trace_once_per_rater",
            ),
            models.CheckConstraint(
                condition=Q(status=AssignmentStatus.OPEN, submitted_at__isnull=True)
                | Q(status=AssignmentStatus.SUBMITTED, submitted_at__isnull=False),
                name="assignment_status_matches_time",
            ),
        ]
        indexes = [
            models.Index(fields=["rater", "round", "position"], name="assignment_queue"),
        ]

    def __str__(self) -> str:
        return self.public_id
