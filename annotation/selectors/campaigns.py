"""Reading campaigns: who sees which, and how far they are."""

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import (
    Count,
    F,
    Max,
    Model,
    Prefetch,
    Q,
    QuerySet,
)
from django.db.models.functions import Coalesce
from django.http import Http404
from django.shortcuts import get_object_or_404
from django.utils import timezone

from annotation.engine.telling_names import telling_words, warning_of
from annotation.models import (
    ENDED,
    Assignment,
    AssignmentStatus,
    Campaign,
    CampaignRater,
    Dataset,
    Invitation,
    Rating,
    Role,
    RoundKind,
    Segmentation,
    SegmentationStatus,
    SegmentRecording,
    User,
)
from annotation.selectors.blinding import hidden_datasets, refuse_while_rating
from annotation.selectors.corpus import count_of, visible_datasets

# Segmentations that nobody works on any more.
DONE = (
    SegmentationStatus.SUBMITTED,
    SegmentationStatus.ACCEPTED,
    SegmentationStatus.REJECTED,
)


@dataclass(frozen=True, slots=True)
class RaterProgress:
    """How far somebody of a campaign is; `is_member` is false once they were removed.

    `rating_count` stays 0 in a campaign of segments; `last_at` is when they last rated or changed
    something.
    """

    rater_id: int
    username: str
    is_member: bool
    assigned_count: int
    started_count: int
    submitted_count: int
    rating_count: int
    last_at: datetime | None


def visible_campaigns(user: User) -> QuerySet[Campaign]:
    """The campaigns that the user may look into: own and shared, or all, or none."""
    if user.is_administrator:
        return Campaign.objects.all()
    if user.is_researcher:
        return Campaign.objects.filter(Q(owner=user) | Q(is_shared=True))
    return Campaign.objects.none()


def changeable_campaigns(user: User) -> QuerySet[Campaign]:
    """The campaigns for which `may_change_campaign` holds."""
    seen = visible_campaigns(user)
    return seen if user.is_administrator else seen.filter(owner=user)


def may_change_campaign(user: User, campaign: Campaign) -> bool:
    """Whether the user may add people and data sets, close or reopen the campaign."""
    return user.is_administrator or (user.is_researcher and campaign.owner_id == user.pk)


def get_campaign_for_user(
    user: User, public_id: str, kind: RoundKind | None = RoundKind.RATINGS
) -> Campaign:
    """A visible campaign of the kind, of any kind where it is None.

    Raises Http404, whether it exists or not: what is of ratings is not there for segments.
    """
    found = visible_campaigns(user)
    return get_object_or_404(
        found if kind is None else found.filter(kind=kind), public_id=public_id
    )


def get_readable_campaign(
    user: User, public_id: str, kind: RoundKind | None = RoundKind.RATINGS
) -> Campaign:
    """A visible campaign whose answers and figures the user may read.

    Raises Http404, or HiddenWhileRatingError for who rates in it while it is open.
    """
    campaign = get_campaign_for_user(user, public_id, kind)
    refuse_while_rating(user, campaign)
    return campaign


def get_changeable_campaign(
    user: User, public_id: str, kind: RoundKind | None = RoundKind.RATINGS
) -> Campaign:
    campaign = get_campaign_for_user(user, public_id, kind)
    if not may_change_campaign(user, campaign):
        raise Http404
    return campaign


def name_warning(user: User, name: str) -> str:
    """Why raters should not read this name of a campaign; empty where nothing is wrong."""
    known = visible_datasets(user).values_list("name", flat=True)
    words = telling_words(name, known)
    return warning_of(words) if words else ""


def campaigns_with_progress(user: User) -> QuerySet[Campaign]:
    """The visible campaigns, each with its counts, in one query.

    Adds `rater_count`, `trace_count`, `assigned_count`, `started_count` and `submitted_count`, of
    segments those of recordings and segmentations, and in a second query the data sets by name,
    without those that are hidden while the user rates.
    """
    shown = Dataset.objects.exclude(pk__in=hidden_datasets(user).values("pk")).order_by("name")
    own, labelled = Assignment.objects.all(), Segmentation.objects.all()

    def count(rows: "QuerySet[Model]", counted: str = "pk") -> Coalesce:
        return count_of(rows, "round__campaign", counted)

    return (
        visible_campaigns(user)
        .annotate(
            rater_count=count_of(CampaignRater.objects.all(), "campaign"),
            # A campaign is of one kind, so one of both counts is 0.
            trace_count=count(own, "trace") + count(SegmentRecording.objects.all()),
            assigned_count=count(own) + count(labelled),
            started_count=count(own.filter(started_at__isnull=False))
            + count(labelled.filter(started_at__isnull=False)),
            submitted_count=count(own.filter(status=AssignmentStatus.SUBMITTED))
            + count(labelled.filter(status__in=DONE)),
        )
        .prefetch_related(Prefetch("datasets", shown))
    )


def rater_progress(campaign: Campaign) -> tuple[RaterProgress, ...]:
    """How far everybody is who works or has worked in the campaign, by name (3 queries)."""
    members = dict(campaign.raters.values_list("rater_id", "rater__username"))
    work: QuerySet[Assignment] | QuerySet[Segmentation]
    if campaign.kind == RoundKind.SEGMENTS:
        who, submitted = "person", Q(status__in=DONE)
        work = Segmentation.objects.filter(round__campaign=campaign)
        changed = work.order_by().values_list("person_id")
        done = {pk: (0, last) for pk, last in changed.annotate(last=Max("events__received_at"))}
    else:
        who, submitted = "rater", Q(status=AssignmentStatus.SUBMITTED)
        work = Assignment.objects.filter(round__campaign=campaign)
        rated = Rating.objects.filter(assignment__round__campaign=campaign).exclude(value="")
        by_rater = rated.order_by().values_list("assignment__rater_id")
        done = {
            pk: (count, last)
            for pk, count, last in by_rater.annotate(count=Count("pk"), last=Max("rated_at"))
        }
    counted = {
        row[who]: row
        for row in work.order_by()
        .values(who, f"{who}__username")
        .annotate(
            assigned=Count("pk"),
            started=Count("pk", filter=Q(started_at__isnull=False)),
            submitted=Count("pk", filter=submitted),
        )
    }
    names = members | {pk: row[f"{who}__username"] for pk, row in counted.items()}
    nothing = {"assigned": 0, "started": 0, "submitted": 0}
    return tuple(
        RaterProgress(
            rater_id=pk,
            username=name,
            is_member=pk in members,
            assigned_count=counted.get(pk, nothing)["assigned"],
            started_count=counted.get(pk, nothing)["started"],
            submitted_count=counted.get(pk, nothing)["submitted"],
            rating_count=done.get(pk, (0, None))[0],
            last_at=done.get(pk, (0, None))[1],
        )
        for pk, name in sorted(names.items(), key=lambda item: (item[1], item[0]))
    )


@dataclass(frozen=True, slots=True)
class Departure:
    """What happens to somebody's traces when they leave: who has begun one keeps it."""

    rater: User
    unbegun_count: int
    begun_count: int
    submitted_count: int
    others_count: int


def departure_of(campaign: Campaign, rater: User) -> Departure:
    """What removing the rater would do (two queries)."""
    own: QuerySet[Assignment] | QuerySet[Segmentation]
    begun, submitted = Q(started_at__isnull=False), Q(status=AssignmentStatus.SUBMITTED)
    if campaign.kind == RoundKind.SEGMENTS:
        own = Segmentation.objects.filter(round__campaign=campaign, person=rater)
        submitted = Q(status__in=DONE)
    else:
        own = Assignment.objects.filter(round__campaign=campaign, rater=rater)
        begun |= Q(rating_events__isnull=False)
    counts = own.aggregate(
        all=Count("pk", distinct=True),
        begun=Count("pk", filter=begun, distinct=True),
        submitted=Count("pk", filter=submitted, distinct=True),
    )
    others = CampaignRater.objects.filter(campaign=campaign).exclude(rater=rater).count()
    return Departure(
        rater=rater,
        unbegun_count=counts["all"] - counts["begun"],
        begun_count=counts["begun"],
        submitted_count=counts["submitted"],
        others_count=others,
    )


# Finds, by row id, who works in an app above for others than a user; that app registers it.
WORKERS_OF_OTHERS: set[Callable[[User], "QuerySet[Any, Any]"]] = set()


def resettable_raters(user: User, campaign: Campaign) -> QuerySet[User]:
    """The raters of a campaign whose password its owner may reset.

    Those are annotators who are in no campaign of another owner and have worked in none: their
    answers there are no business of this one. Nobody resets researchers or administrators here.
    """
    raters = User.objects.filter(
        campaign_memberships__campaign=campaign,
        role=Role.ANNOTATOR,
        is_superuser=False,
        is_staff=False,
        is_active=True,
    ).exclude(pk=user.pk)
    if user.is_administrator:
        return raters.distinct()
    members = CampaignRater.objects.exclude(campaign__owner=user).values("rater")
    left = Assignment.objects.exclude(round__campaign__owner=user).values("rater")
    worked = Segmentation.objects.exclude(round__campaign__owner=user).values("person")
    others = Q(pk__in=members) | Q(pk__in=left) | Q(pk__in=worked)
    for find in WORKERS_OF_OTHERS:
        others |= Q(pk__in=find(user))
    return raters.exclude(others).distinct()


def open_invitations(campaign: Campaign) -> QuerySet[Invitation]:
    return Invitation.objects.filter(
        campaign=campaign, expires_at__gt=timezone.now(), used_count__lt=F("places")
    )


def get_invitation(token: str) -> Invitation:
    """The invitation of a link that can still be used; raises Http404."""
    usable = (
        Invitation.objects.select_related("campaign")
        .filter(
            expires_at__gt=timezone.now(),
            used_count__lt=F("places"),
        )
        .exclude(campaign__state__in=ENDED)
    )
    return get_object_or_404(usable, token_digest=invitation_digest(token))


def invitation_digest(token: str) -> str:
    """What is kept of the token of an invitation."""
    return hashlib.sha256(token.encode(errors="replace")).hexdigest()
