"""A rater's own assignments: their current values, what is missing, and how they came about."""

from dataclasses import dataclass
from datetime import datetime

from django.db.models import Exists, OuterRef, Q, QuerySet

from annotation.engine.ratings.changes import (
    Answer,
    RatingKey,
    RatingState,
    is_answered,
    required_keys,
)
from annotation.engine.rubric.rubric import Metric, current_rubric, rubric
from annotation.models import Assignment, Event, GuidelineVersion, Rating, Trace, User


@dataclass(frozen=True, slots=True)
class CurrentRating:
    """The current answer of one key; a cleared one keeps its revision and has an empty value."""

    key: RatingKey
    answer: Answer
    is_implied: bool
    revision: int
    rated_at: datetime | None

    @classmethod
    def of(cls, key: RatingKey, state: RatingState) -> "CurrentRating":
        return cls(key, state.answer, state.is_implied, state.revision, state.rated_at)


@dataclass(frozen=True, slots=True)
class RatingSheet:
    """Everything a rater has answered in one assignment, and what is still missing."""

    ratings: tuple[CurrentRating, ...]
    missing: tuple[RatingKey, ...]
    status: str


def assignments_of(user: User) -> QuerySet[Assignment]:
    """What the user may rate: own assignments, in campaigns the user still belongs to."""
    return Assignment.objects.filter(rater=user, round__campaign__raters__rater=user)


def assignment_for_rater(user: User, public_id: str) -> Assignment:
    """One of the user's own assignments with its round, campaign and trace.

    Raises `Assignment.DoesNotExist` for everybody else's, as if it were not there.
    """
    related = ("round__campaign", "round__ratings", "trace")
    return assignments_of(user).select_related(*related).get(public_id=public_id)


def videos_watched_by_raters(user: User) -> Q:
    """Both recordings of their assignments while they are in the campaign, and those of examples.

    The examples stand in the guidelines of their opened rounds.
    """
    shown = Q(trace__video=OuterRef("pk"), trace__has_placeholders=False)
    own_traces = shown | Q(trace__take__video=OuterRef("pk"))
    exemplary = Trace.objects.filter(
        Q(video=OuterRef("pk"), has_placeholders=False) | Q(take__video=OuterRef("pk")),
        pk__in=GuidelineVersion.objects.filter(
            campaign__raters__rater=user,
            rounds__raters__rater=user,
            rounds__opened_at__isnull=False,
        ).values("example_traces"),
    )
    return Q(Exists(assignments_of(user).filter(own_traces))) | Q(Exists(exemplary))


def asks_of_video(assignment: Assignment) -> bool:
    """Whether the metrics of the video apply: there is one to rate, and the rater goes by it."""
    trace = assignment.trace
    has_picture = trace.video_id is not None and not trace.has_placeholders
    return has_picture and not assignment.is_without_video


def of_placeholders() -> Q:
    """The ratings of pictures that are placeholders: given before these were known, never counted.

    A condition on rows of ratings.
    """
    asked = [item.metric for item in current_rubric().metrics if item.needs_video]
    return Q(metric__in=asked, assignment__trace__has_placeholders=True)


def rating_sheet(assignment: Assignment) -> RatingSheet:
    """The current ratings of the assignment in card order, and what is missing."""
    rubric_ = rubric(assignment.round.ratings.rubric_version)
    indices = Event.objects.filter(trace_id=assignment.trace_id).order_by("index")
    required = required_keys(
        indices.values_list("index", flat=True),
        has_video=asks_of_video(assignment),
        rubric_=rubric_,
    )
    by_key = {
        rating.key: rating
        for rating in (
            CurrentRating(
                key=RatingKey(index, Metric(metric)),
                answer=Answer(value, confidence, cannot_judge),
                is_implied=is_implied,
                revision=revision,
                rated_at=rated_at,
            )
            for index, metric, value, confidence, cannot_judge, is_implied, revision, rated_at in (
                Rating.objects.filter(assignment=assignment)
                .order_by()
                .values_list(
                    "event__index",
                    "metric",
                    "value",
                    "confidence",
                    "cannot_judge",
                    "is_implied",
                    "revision",
                    "rated_at",
                )
            )
        )
    }
    missing = tuple(
        key
        for key in required
        if key not in by_key or not is_answered(key, by_key[key].answer, rubric_=rubric_)
    )
    # A rating whose metric no longer applies (its video was unlinked) is kept but not shown.
    ratings = tuple(by_key[key] for key in required if key in by_key)
    return RatingSheet(ratings=ratings, missing=missing, status=assignment.status)
