"""Campaigns: who rates which traces under which rubric and guideline, and how far they are."""

from django.conf import settings
from django.db import models
from django.db.models import Q

from annotation.models.corpus import Dataset, Trace, new_public_id


class Phase(models.TextChoices):
    """Pilot ratings sharpen the guideline; main ratings are reported."""

    PILOT = "pilot", "Pilot"
    MAIN = "main", "Main"


class AssignmentStatus(models.TextChoices):
    """A submitted assignment can be reopened until its campaign closes."""

    OPEN = "open", "Open"
    SUBMITTED = "submitted", "Submitted"


class Campaign(models.Model):
    """One audit: data sets, raters, overlap, rubric version, guideline version, phase.

    `overlap` is k, the number of raters who rate each trace. `seed` orders every rater's queue.
    """

    public_id = models.CharField(max_length=16, unique=True, default=new_public_id, editable=False)
    name = models.CharField(max_length=200, unique=True)
    owner = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        null=True,
        blank=True,
        on_delete=models.SET_NULL,
        related_name="campaigns",
    )
    is_shared = models.BooleanField(default=False)
    phase = models.CharField(max_length=8, choices=Phase.choices, default=Phase.MAIN)
    overlap = models.PositiveSmallIntegerField(default=3)
    seed = models.PositiveBigIntegerField(default=0)
    rubric_version = models.CharField(max_length=16)
    guideline_version = models.CharField(max_length=32, default="1")
    datasets = models.ManyToManyField(Dataset, related_name="campaigns")
    created_at = models.DateTimeField(auto_now_add=True)
    closed_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["-created_at", "name"]
        constraints = [
            models.CheckConstraint(condition=~Q(name=""), name="campaign_has_name"),
            models.CheckConstraint(condition=Q(overlap__gte=1), name="campaign_overlap_positive"),
            models.CheckConstraint(
                condition=Q(phase__in=Phase.values), name="campaign_phase_known"
            ),
        ]

    def __str__(self) -> str:
        return self.name

    @property
    def is_closed(self) -> bool:
        return self.closed_at is not None


class CampaignRater(models.Model):
    """A person who rates in a campaign."""

    campaign = models.ForeignKey(Campaign, on_delete=models.CASCADE, related_name="raters")
    rater = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="campaign_memberships"
    )
    joined_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["campaign", "joined_at", "pk"]
        constraints = [
            models.UniqueConstraint(fields=["campaign", "rater"], name="campaign_rater_once"),
        ]

    def __str__(self) -> str:
        return f"{self.rater_id} in {self.campaign_id}"


class Invitation(models.Model):
    """A link by which people take part in a campaign, with an account that they make if need be.

    Of the link only a hash is kept, so that who reads the database cannot use it.
    """

    campaign = models.ForeignKey(Campaign, on_delete=models.CASCADE, related_name="invitations")
    token_digest = models.CharField(max_length=64, unique=True, editable=False)
    made_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+"
    )
    made_at = models.DateTimeField(auto_now_add=True)
    expires_at = models.DateTimeField()
    places = models.PositiveSmallIntegerField()
    used_count = models.PositiveSmallIntegerField(default=0)

    class Meta:
        ordering = ["-pk"]
        constraints = [
            models.CheckConstraint(
                condition=Q(used_count__lte=models.F("places")), name="invitation_has_places"
            ),
        ]

    def __str__(self) -> str:
        return f"invitation to {self.campaign_id}"


class Assignment(models.Model):
    """One rater's reservation of one trace; `position` is its 0-based place in the queue.

    `change_count` counts the changes of its ratings. Whatever changes a rating raises it in the
    same transaction, so that figures of a million ratings know at once how many came in since.

    A skipped one comes after all others. `is_without_video` says that the rater could not or would
    not use the trace's video, so that its metrics are not applicable here.

    `is_informed` says that the rater could have seen sources, planned types or others' answers
    before: a researcher to whom they were open when the reservation was made or taken up again.
    """

    public_id = models.CharField(max_length=16, unique=True, default=new_public_id, editable=False)
    campaign = models.ForeignKey(Campaign, on_delete=models.CASCADE, related_name="assignments")
    rater = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="assignments"
    )
    trace = models.ForeignKey(Trace, on_delete=models.PROTECT, related_name="assignments")
    position = models.PositiveIntegerField()
    status = models.CharField(
        max_length=12, choices=AssignmentStatus.choices, default=AssignmentStatus.OPEN
    )
    is_informed = models.BooleanField(default=False)
    started_at = models.DateTimeField(null=True, blank=True)
    submitted_at = models.DateTimeField(null=True, blank=True)
    change_count = models.PositiveIntegerField(default=0)
    skipped_at = models.DateTimeField(null=True, blank=True)
    is_without_video = models.BooleanField(default=False)

    class Meta:
        ordering = ["campaign", "rater", "position"]
        constraints = [
            models.UniqueConstraint(
                fields=["campaign", "rater", "trace"], name="assignment_trace_once_per_rater"
            ),
            models.CheckConstraint(
                condition=Q(status=AssignmentStatus.OPEN, submitted_at__isnull=True)
                | Q(status=AssignmentStatus.SUBMITTED, submitted_at__isnull=False),
                name="assignment_status_matches_time",
            ),
        ]
        indexes = [
            models.Index(fields=["rater", "campaign", "position"], name="assignment_queue"),
        ]

    def __str__(self) -> str:
        return self.public_id
