"""Reading rounds: which there are, which is open, and the text that its raters read."""

from django.db.models import Count, Exists, OuterRef, Q, QuerySet
from django.db.models.lookups import Exact
from django.http import Http404
from django.shortcuts import get_object_or_404

from annotation.engine.campaigns.guideline import (
    GuidelineText,
    built_in_guideline,
    guideline_from_dict,
)
from annotation.engine.rubric.rubric import current_rubric, rubric
from annotation.models import (
    ENDED,
    Assignment,
    AssignmentStatus,
    Campaign,
    CampaignState,
    GuidelineVersion,
    Phase,
    Purpose,
    Round,
    RoundRater,
    Trace,
    User,
)
from annotation.models.round_kinds import RATINGS
from annotation.selectors.campaigns.campaigns import get_campaign_for_user, visible_campaigns
from annotation.selectors.corpus.corpus import count_of


def open_rounds(campaign: Campaign) -> QuerySet[Round]:
    return campaign.rounds.filter(opened_at__isnull=False, closed_at__isnull=True)


def must_freeze_first(round_: Round, campaign: Campaign) -> bool:
    """Whether a main round is planned whose guideline people still discuss after a pilot."""
    is_planned_main = round_.phase == Phase.MAIN and not round_.opened_at
    return is_planned_main and campaign.state == CampaignState.DISCUSSION


def rounds_of_rater(user: User, kind: str | None = RATINGS) -> QuerySet[Round]:
    """The rounds of a kind, or of any, that were opened and in which the user works."""
    rounds = Round.objects.filter(
        raters__rater=user, campaign__raters__rater=user, opened_at__isnull=False
    )
    return rounds if kind is None else rounds.filter(kind=kind)


def campaigns_without_work(user: User) -> QuerySet[Campaign]:
    """The campaigns that the user takes part in and that have given them no round yet.

    `has_begun`: others work in it already. Ended campaigns give no more.
    """
    own = rounds_of_rater(user, kind=None).filter(campaign=OuterRef("pk"))
    opened = Round.objects.filter(campaign=OuterRef("pk"), opened_at__isnull=False)
    return (
        Campaign.objects.filter(~Exists(own), raters__rater=user)
        .exclude(state__in=ENDED)
        .annotate(has_begun=Exists(opened))
        .order_by("name")
    )


def independent_rounds(campaign: Campaign) -> QuerySet[Round]:
    """The closed rounds whose answers are independent: training shows what is right."""
    closed = campaign.rounds.filter(kind=RATINGS, closed_at__isnull=False)
    return closed.exclude(phase=Phase.TRAINING).order_by("number")


def latest_round(campaign: Campaign) -> Round | None:
    """The round of ratings that was planned last, in whatever state it is."""
    rounds = campaign.rounds.filter(kind=RATINGS)
    return rounds.select_related("guideline", "ratings").order_by("-number").first()


def guideline_text(round_: Round) -> GuidelineText:
    """What the raters of a round read about each question; pages take it from here.

    Rounds from before texts were kept have the one that comes with the rubric.
    """
    version = round_.ratings.rubric_version
    if not round_.guideline.text:
        return built_in_guideline(version)
    return guideline_from_dict(round_.guideline.text, rubric(version))


def rubric_version_of(campaign: Campaign) -> str:
    """The rubric by which the latest round is rated, or the next one will be."""
    latest = latest_round(campaign)
    return current_rubric().version if latest is None else latest.ratings.rubric_version


def rounds_with_progress(campaign: Campaign) -> QuerySet[Round]:
    """The rounds in their order with the counts of ordinary assignments and of people, one query.

    Those of a training round are all of its assignments. Adds `rater_count`, `trace_count`,
    `assigned_count` and `submitted_count`.
    """
    # The phase of the round that is counted: joined, each assignment would look it up again.
    is_training = Exact(OuterRef("phase"), Phase.TRAINING)
    own = Assignment.objects.filter(Q(purpose=Purpose.ORDINARY) | Q(is_training))
    submitted = own.filter(status=AssignmentStatus.SUBMITTED)
    return (
        campaign.rounds.select_related("guideline", "ratings")
        .annotate(
            rater_count=count_of(RoundRater.objects.all(), "round"),
            trace_count=count_of(own, "round", "trace"),
            assigned_count=count_of(own, "round"),
            submitted_count=count_of(submitted, "round"),
        )
        .order_by("number")
    )


def get_round_for_user(user: User, public_id: str, number: int) -> Round:
    """A round of ratings of a campaign that the user may look into; raises Http404."""
    return round_of(get_campaign_for_user(user, public_id), number)


def round_of(campaign: Campaign, number: int) -> Round:
    """A round with its guideline, checks and rows of ratings (one query); raises Http404."""
    rounds = campaign.rounds.select_related("guideline", "ratings", "checks__qualified_by")
    return get_object_or_404(rounds, number=number)


def get_version_for_user(user: User, public_id: str, number: int) -> GuidelineVersion:
    """A version of the guideline of a campaign that the user may look into; raises Http404."""
    seen = GuidelineVersion.objects.select_related("campaign", "parent", "author").filter(
        campaign__in=visible_campaigns(user)
    )
    return get_object_or_404(seen, campaign__public_id=public_id, number=number)


def versions_of(campaign: Campaign) -> QuerySet[GuidelineVersion]:
    """The versions with who wrote them and in which rounds they are used, the newest first."""
    versions = campaign.guideline_versions.select_related("author")
    return versions.prefetch_related("rounds").order_by("-number")


def text_of(version: GuidelineVersion) -> GuidelineText:
    """What the version says; raises `GuidelineError` where it was written for another rubric."""
    return guideline_from_dict(version.text, current_rubric())


def example_for_rater(user: User, round_id: str, place: int) -> tuple[Trace, int | None, str]:
    """The trace, event and note of an example in the guideline of a round that the user sees.

    Raises Http404 for who is not in the round or has left the campaign, and where the trace is
    gone.
    """
    own = Q(raters__rater=user, campaign__raters__rater=user, opened_at__isnull=False)
    rounds = Round.objects.select_related("guideline").filter(
        own | Q(campaign__in=visible_campaigns(user))
    )
    round_ = get_object_or_404(rounds.distinct(), public_id=round_id)
    if place >= len(round_.guideline.examples):
        raise Http404
    example = round_.guideline.examples[place]
    trace = get_object_or_404(Trace, public_id=example["trace"])
    return trace, example.get("event"), example["note"]


def traces_by_dataset(round_: Round) -> QuerySet[Trace, tuple[str, int]]:
    """How many traces of each data set are in a round, by name."""
    counted = round_.ratings.traces.order_by().values("dataset__name").annotate(count=Count("pk"))
    return counted.order_by("dataset__name").values_list("dataset__name", "count")
