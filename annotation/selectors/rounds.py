"""Reading rounds: which there are, which is open, and the text that its raters read."""

from django.db.models import Count, Q, QuerySet

from annotation.engine.guideline import GuidelineText, built_in_guideline, guideline_from_dict
from annotation.engine.rubric import current_rubric, rubric
from annotation.models import AssignmentStatus, Campaign, Purpose, Round, RoundKind


def open_rounds(campaign: Campaign) -> QuerySet[Round]:
    return campaign.rounds.filter(opened_at__isnull=False, closed_at__isnull=True)


def latest_round(campaign: Campaign) -> Round | None:
    """The round of ratings that was planned last, whatever became of it."""
    found = campaign.rounds.filter(kind=RoundKind.RATINGS)
    return found.select_related("guideline", "ratings").order_by("-number").first()


def latest_seed(campaign: Campaign) -> int:
    """The seed that figures of a campaign are computed with."""
    latest = latest_round(campaign)
    return 0 if latest is None else latest.seed


def guideline_text(made: Round) -> GuidelineText:
    """What the raters of a round read about each question; pages take it from here.

    Of rounds from before texts were kept it is the one that comes with the rubric.
    """
    version = made.ratings.rubric_version
    if not made.guideline.text:
        return built_in_guideline(version)
    return guideline_from_dict(made.guideline.text, rubric(version))


def rubric_version_of(campaign: Campaign) -> str:
    """The rubric by which the latest round is rated, or the next one will be."""
    latest = latest_round(campaign)
    return current_rubric().version if latest is None else latest.ratings.rubric_version


def rounds_with_progress(campaign: Campaign) -> QuerySet[Round]:
    """The rounds in their order with the counts of ordinary assignments and of people, one query.

    Adds `rater_count`, `trace_count`, `assigned_count` and `submitted_count`.
    """
    ordinary = Q(assignments__purpose=Purpose.ORDINARY)
    submitted = ordinary & Q(assignments__status=AssignmentStatus.SUBMITTED)
    return (
        campaign.rounds.select_related("guideline", "ratings")
        .annotate(
            rater_count=Count("raters", distinct=True),
            trace_count=Count("assignments__trace", filter=ordinary, distinct=True),
            assigned_count=Count("assignments", filter=ordinary, distinct=True),
            submitted_count=Count("assignments", filter=submitted, distinct=True),
        )
        .order_by("number")
    )
