"""What researchers do not see while they rate: in an open campaign they are as blind as anyone.

Until the campaign closes or they leave it, its data sets with all that belongs to them (takes,
traces, the runs that made them) and all figures and answers of the campaign are hidden from them,
on pages, in the API and in exports alike. What was asked for is named as hidden, not as missing.
"""

from typing import TypeVar

from django.core.exceptions import PermissionDenied
from django.db.models import Model, Q, QuerySet
from django.http import Http404
from django.shortcuts import get_object_or_404

from annotation.models import ENDED, Assignment, AuditEntry, Campaign, Dataset, User

Row = TypeVar("Row", bound=Model)


class HiddenWhileRatingError(PermissionDenied):
    """The user rates in an open campaign that this would tell too much about."""


def openable_datasets(user: User) -> QuerySet[Dataset]:
    """The data sets that the user may look into whenever no campaign hides them."""
    if user.is_administrator:
        return Dataset.objects.all()
    if user.is_researcher:
        return Dataset.objects.filter(Q(owner=user) | Q(is_shared=True))
    return Dataset.objects.none()


def may_open(user: User, dataset: Dataset) -> bool:
    """Whether the data set is among them, so that a link to what belongs to it leads somewhere."""
    is_open = dataset.is_shared or dataset.owner_id == user.pk
    return user.is_administrator or (user.is_researcher and is_open)


def campaigns_rated_now(user: User) -> QuerySet[Campaign]:
    return Campaign.objects.exclude(state__in=ENDED).filter(raters__rater=user)


def hidden_datasets(user: User) -> QuerySet[Dataset]:
    """The data sets that are hidden from the user by these campaigns."""
    return Dataset.objects.filter(campaigns__in=campaigns_rated_now(user))


def datasets_known_to(user: User, campaign: Campaign) -> set[int]:
    """The campaign's data sets of which the user could know what raters must not know.

    That is so where the user could open the data set, or read answers about it, before rating in
    the campaign. What the campaign hides by now does not count: it was open until then.
    """
    if not user.is_researcher:
        return set()
    datasets = campaign.datasets.order_by()
    if not (user.is_administrator or campaign.is_shared or campaign.owner_id == user.pk):
        read = Campaign.objects.filter(Q(owner=user) | Q(is_shared=True)).values("pk")
        openable = Q(pk__in=openable_datasets(user).values("pk"))
        datasets = datasets.filter(openable | Q(pk__in=Dataset.objects.filter(campaigns__in=read)))
    return set(datasets.values_list("pk", flat=True))


def could_see_since_submitting(user: User, assignment: Assignment) -> bool:
    """Whether the rater could know more now than when the trace was submitted.

    That is so where the campaign was closed in between, or the rater had left it.
    """
    campaign = assignment.round.campaign
    if assignment.trace.dataset_id not in datasets_known_to(user, campaign):
        return False
    gaps = Q(action="campaign.reopen") | Q(action="campaign.remove_rater", detail__rater=user.pk)
    since = AuditEntry.objects.filter(
        gaps, subject=f"campaign:{campaign.public_id}", made_at__gte=assignment.submitted_at
    )
    return since.exists()


def campaigns_hidden_now(user: User) -> QuerySet[Campaign]:
    """The campaigns whose answers are hidden from the user: rated in, or of the same data.

    Answers and remarks of another campaign name the same traces and are about the same events.
    """
    rated, hidden = campaigns_rated_now(user), hidden_datasets(user)
    same = Q(pk__in=rated.values("pk")) | Q(datasets__in=hidden.values("pk"))
    return Campaign.objects.filter(same).distinct()


def why_figures_are_hidden(user: User, campaign: Campaign) -> str:
    """Why the user may not read the campaign's answers now; empty for who may."""
    if not campaigns_hidden_now(user).filter(pk=campaign.pk).exists():
        return ""
    same = Q(pk=campaign.pk) | Q(datasets__campaigns=campaign.pk)
    rated = campaigns_rated_now(user).filter(same)
    return hidden_because(rated.distinct().values_list("name", flat=True))


def refuse_while_rating(user: User, campaign: Campaign) -> None:
    """Raise HiddenWhileRatingError if the user rates in this campaign, or its data in another."""
    if reason := why_figures_are_hidden(user, campaign):
        raise HiddenWhileRatingError(reason)


def get_unhidden(user: User, rows: QuerySet[Row], openable: QuerySet[Row], public_id: str) -> Row:
    """The one of `rows`; raises Http404, or HiddenWhileRatingError if it is `openable` only."""
    try:
        return get_object_or_404(rows, public_id=public_id)
    except Http404:
        if openable.filter(public_id=public_id).exists():
            names = campaigns_rated_now(user).values_list("name", flat=True)
            raise HiddenWhileRatingError(hidden_because(names)) from None
        raise


def hidden_because(names: "list[str] | QuerySet[Campaign, str]") -> str:
    """Why something is hidden, by the names of the campaigns in which somebody rates."""
    named = " and ".join(f"“{name}”" for name in sorted(names))
    return (
        f"Hidden while you rate in {named}: sources, planned types and others' answers"
        " could influence yours. You see it again when the campaign closes or you leave"
        " it (My queue)."
    )


def why_some_are_hidden(user: User) -> str:
    """What a list says where it leaves data sets or runs out; empty where it does not."""
    if not user.is_researcher:
        return ""
    hidden = hidden_datasets(user).filter(pk__in=openable_datasets(user).values("pk"))
    if not hidden.exists():
        return ""
    return hidden_because(campaigns_rated_now(user).values_list("name", flat=True))
