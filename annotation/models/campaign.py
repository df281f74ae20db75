"""Campaigns: one audit with its people, and the rounds in which they work."""

from django.conf import settings
from django.db import models
from django.db.models import Q

from annotation.models.columns import one_of
from annotation.models.corpus import Dataset, new_public_id
from annotation.models.people import user_column
from annotation.models.round_kinds import RATINGS, RoundKind, kind_called


class CampaignState(models.TextChoices):
    """How far the protocol of a campaign is; its rounds make the moves between them."""

    DRAFT = "draft", "Draft"
    PILOT = "pilot", "Pilot"
    DISCUSSION = "discussion", "Discussion"
    FROZEN = "frozen", "Frozen"
    MAIN = "main", "Main"
    CLOSED = "closed", "Closed"
    RELEASED = "released", "Released"


ENDED = (CampaignState.CLOSED, CampaignState.RELEASED)


class Campaign(models.Model):
    """One audit: data sets, owner, people. Who does what by which text is in its rounds.

    All its rounds are of one kind (`round_kinds.py`). `state` is that of the protocol of ratings; a
    campaign of another kind stays a draft until it is closed.
    """

    public_id = models.CharField(max_length=16, unique=True, default=new_public_id, editable=False)
    name = models.CharField(max_length=200, unique=True)
    owner = user_column("campaigns")
    is_shared = models.BooleanField(default=False)
    kind = models.CharField(max_length=12, default=RATINGS)
    state = models.CharField(
        max_length=12, choices=CampaignState.choices, default=CampaignState.DRAFT
    )
    datasets = models.ManyToManyField(Dataset, related_name="campaigns")
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["-created_at", "name"]
        constraints = [
            models.CheckConstraint(condition=~Q(name=""), name="campaign_has_name"),
            one_of("state", CampaignState.values, "campaign_state_known"),
        ]

    def __str__(self) -> str:
        return self.name

    @property
    def is_closed(self) -> bool:
        return self.state in ENDED

    @property
    def round_kind(self) -> RoundKind:
        return kind_called(self.kind)


class CampaignRater(models.Model):
    """A person who takes part in a campaign."""

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
    """A link by which people join a campaign, with a new account if they have none.

    Only a hash of the link is stored, so that nobody can use it who reads the database.
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
