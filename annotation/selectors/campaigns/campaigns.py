"""Reading campaigns: who sees which, and how far they are."""

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import reduce
from operator import add
from typing import Any

from django.db.models import (
    Count,
    Exists,
    F,
    Max,
    OuterRef,
    Prefetch,
    Q,
    QuerySet,
    Sum,
    Value,
)
from django.db.models.constants import LOOKUP_SEP
from django.db.models.expressions import CombinedExpression
from django.db.models.functions import Coalesce
from django.http import Http404
from django.shortcuts import get_object_or_404
from django.utils import timezone

from annotation.engine.corpus.telling_names import telling_words, warning_of
from annotation.models import (
    ENDED,
    Assignment,
    Campaign,
    CampaignRater,
    Dataset,
    Invitation,
    Role,
    User,
)
from annotation.models.round_kinds import RATINGS, Work, round_kinds
from annotation.selectors.corpus.blinding import hidden_datasets, refuse_while_rating
from annotation.selectors.corpus.corpus import count_of, visible_datasets


@dataclass(frozen=True, slots=True)
class RaterProgress:
    """How far somebody of a campaign is; `is_member` is false once they were removed.

    `rating_count` stays 0 where nobody rates; `last_at` is when they last rated, or changed
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


@dataclass(frozen=True, slots=True)
class Progress:
    """How far all people of a campaign are together."""

    assigned_count: int
    started_count: int
    submitted_count: int


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


def get_campaign_for_user(user: User, public_id: str, kind: str | None = RATINGS) -> Campaign:
    """A visible campaign of the kind, of any kind where it is None.

    Raises Http404, whether it exists or not: what is of ratings is not there for other kinds.
    """
    campaigns = visible_campaigns(user)
    return get_object_or_404(
        campaigns if kind is None else campaigns.filter(kind=kind), public_id=public_id
    )


def get_readable_campaign(user: User, public_id: str, kind: str | None = RATINGS) -> Campaign:
    """A visible campaign whose answers and figures the user may read.

    Raises Http404, or HiddenWhileRatingError for who rates in it while it is open.
    """
    campaign = get_campaign_for_user(user, public_id, kind)
    refuse_while_rating(user, campaign)
    return campaign


def get_changeable_campaign(user: User, public_id: str, kind: str | None = RATINGS) -> Campaign:
    campaign = get_campaign_for_user(user, public_id, kind)
    if not may_change_campaign(user, campaign):
        raise Http404
    return campaign


def name_warning(user: User, name: str) -> str:
    """Why raters should not read this name of a campaign; empty where nothing is wrong."""
    words = telling_words(name, visible_datasets(user).values_list("name", flat=True))
    return warning_of(words) if words else ""


def campaigns_with_people(user: User) -> QuerySet[Campaign]:
    """The visible campaigns with their `rater_count` and `trace_count`, in one query.

    The latter is of whatever its kind gives people to do. A second query reads the data sets by
    name, without those that are hidden while the user rates.
    """
    visible = Dataset.objects.exclude(pk__in=hidden_datasets(user).values("pk")).order_by("name")
    return (
        visible_campaigns(user)
        .annotate(
            rater_count=count_of(CampaignRater.objects.all(), "campaign"),
            trace_count=_over_kinds(lambda work: _of_rounds(work.things, work.counted)),
        )
        .prefetch_related(Prefetch("datasets", visible))
    )


def campaigns_with_progress(user: User) -> QuerySet[Campaign]:
    """The same with `assigned_count`, `started_count` and `submitted_count`."""
    return campaigns_with_people(user).annotate(
        assigned_count=_over_kinds(lambda work: _of_rounds(work.rows)),
        started_count=_over_kinds(
            lambda work: _of_rounds(work.rows.filter(started_at__isnull=False))
        ),
        submitted_count=_over_kinds(lambda work: _of_rounds(work.rows.filter(work.is_done))),
    )


def _over_kinds(count: Callable[[Work], Coalesce]) -> CombinedExpression | Coalesce:
    # A campaign is of one kind, so of the counts of all kinds all but one are 0.
    return reduce(add, (count(kind.work()) for kind in round_kinds()))


def _of_rounds(rows: "QuerySet[Any]", counted: str = "pk") -> Coalesce:
    return count_of(rows, "round__campaign", counted)


def rater_progress(campaign: Campaign) -> tuple[RaterProgress, ...]:
    """How far everybody is who works or has worked in the campaign, by name (2 queries)."""
    work = campaign.round_kind.work()
    rows = work.rows.filter(round__campaign=campaign).order_by()
    # Of some kinds the last change lies in rows of which there are many.
    is_joined = LOOKUP_SEP in work.changed_at
    counted = {
        row[work.person]: row
        for row in rows.values(work.person).annotate(
            assigned=Count("pk", distinct=is_joined),
            started=Count("pk", filter=Q(started_at__isnull=False), distinct=is_joined),
            submitted=Count("pk", filter=work.is_done, distinct=is_joined),
            answers=Sum(work.answered) if work.answered else Value(0),
            last=Max(work.changed_at),
        )
    }
    # Joined to the rows, each of thousands would look its name up.
    own = campaign.raters.filter(rater=OuterRef("pk"))
    people = User.objects.annotate(is_member=Exists(own)).filter(
        Q(is_member=True) | Q(pk__in=counted.keys())
    )
    names = people.values_list("pk", "username", "is_member")
    nothing = {"assigned": 0, "started": 0, "submitted": 0, "answers": 0, "last": None}
    return tuple(
        RaterProgress(
            rater_id=pk,
            username=name,
            is_member=is_member,
            assigned_count=row["assigned"],
            started_count=row["started"],
            submitted_count=row["submitted"],
            rating_count=row["answers"],
            last_at=row["last"],
        )
        for pk, name, is_member in sorted(names, key=lambda person: (person[1], person[0]))
        for row in [counted.get(pk, nothing)]
    )


def progress_of(raters: Sequence[RaterProgress]) -> Progress:
    """What `campaigns_with_progress` counts, of raters who are read already."""
    return Progress(
        assigned_count=sum(item.assigned_count for item in raters),
        started_count=sum(item.started_count for item in raters),
        submitted_count=sum(item.submitted_count for item in raters),
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
    work = campaign.round_kind.work()
    own = work.rows.filter(round__campaign=campaign, **{work.person: rater})
    counts = own.aggregate(
        all=Count("pk", distinct=True),
        begun=Count("pk", filter=work.is_begun, distinct=True),
        submitted=Count("pk", filter=work.is_done, distinct=True),
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

    Those are annotators whose account the owner made, or who made it by the owner's invitation:
    whoever gives an account a password can use it. They are in no campaign of another owner and
    have worked in none: their answers there are no business of this one. Nobody resets researchers
    or administrators here.
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
    others = Q(pk__in=members) | Q(pk__in=left)
    for find in WORKERS_OF_OTHERS:
        others |= Q(pk__in=find(user))
    return raters.filter(taken_in_by=user).exclude(others).distinct()


def open_invitations(campaign: Campaign) -> QuerySet[Invitation]:
    return Invitation.objects.filter(
        campaign=campaign, expires_at__gt=timezone.now(), used_count__lt=F("places")
    )


def get_invitation(token: str) -> Invitation:
    """The invitation of a link that can still be used; raises Http404."""
    usable = Invitation.objects.filter(expires_at__gt=timezone.now(), used_count__lt=F("places"))
    running = usable.exclude(campaign__state__in=ENDED).select_related("campaign")
    return get_object_or_404(running, token_digest=invitation_digest(token))


def invitation_digest(token: str) -> str:
    """What is kept of the token of an invitation."""
    return hashlib.sha256(token.encode(errors="replace")).hexdigest()
