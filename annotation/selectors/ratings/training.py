"""Reading training: what a rater has before them and how it went, and who of a campaign has passed.

A rater gets own attempts only, and what is accepted only of traces that were submitted in training.
"""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Prefetch, Q, QuerySet
from django.http import Http404
from django.shortcuts import get_object_or_404

from annotation.engine.campaigns.guideline import Subject
from annotation.engine.ratings.gold import Score
from annotation.engine.rubric.rubric import Metric, Rubric, rubric
from annotation.engine.taxonomy import EventKind
from annotation.models import (
    Assignment,
    Campaign,
    Phase,
    Qualification,
    Round,
    RoundChecks,
    TrainingAttempt,
    TrainingTrace,
    User,
)
from annotation.selectors.campaigns.rounds import guideline_text
from annotation.selectors.ratings.audit import AuditPage, get_audit_page
from annotation.selectors.ratings.gold import checks_of


@dataclass(frozen=True, slots=True)
class MetricScore:
    """How many questions of one metric were answered as accepted; `needed` is a share."""

    title: str
    metric: str
    right: int
    asked: int
    needed: float

    @property
    def is_enough(self) -> bool:
        return self.right >= self.needed * self.asked


@dataclass(frozen=True, slots=True)
class AttemptResult:
    """One attempt, finished or not."""

    number: int
    started_at: datetime
    finished_at: datetime | None
    is_passed: bool
    score: Score
    metrics: tuple[MetricScore, ...]
    traces: tuple[TrainingTrace, ...]

    @property
    def right(self) -> int:
        return sum(self.score.right.values())

    @property
    def asked(self) -> int:
        return sum(self.score.asked.values())

    @property
    def feedback_count(self) -> int:
        """Of how many traces the rater has opened the feedback."""
        return sum(item.feedback_shown_at is not None for item in self.traces)


@dataclass(frozen=True, slots=True)
class Training:
    """One rater's training: rule, attempts (the last first), and whether there may be another."""

    qualification: Qualification
    checks: RoundChecks
    attempts: tuple[AttemptResult, ...]

    @property
    def round(self) -> Round:
        return self.qualification.round

    @property
    def last(self) -> AttemptResult | None:
        return self.attempts[0] if self.attempts else None

    @property
    def attempts_left(self) -> int | None:
        """How many more attempts there may be, None where there is no limit."""
        most = self.checks.most_attempts
        return None if most is None else max(0, most - len(self.attempts))

    @property
    def may_try_again(self) -> bool:
        last = self.last
        return (
            self.round.is_open
            and not self.qualification.is_qualified
            and last is not None
            and last.finished_at is not None
            and self.attempts_left != 0
        )


@dataclass(frozen=True, slots=True)
class FeedbackAnswer:
    """One question as feedback shows it; values are in the words of the page."""

    title: str
    question: str
    how_to_judge: str
    answer: str
    accepted: str
    is_right: bool
    reason: str


@dataclass(frozen=True, slots=True)
class FeedbackEvent:
    """The questions about one event, or about the trace; `row` is where the event begins."""

    name: str
    row: int | None
    answers: tuple[FeedbackAnswer, ...]


@dataclass(frozen=True, slots=True)
class Feedback:
    """What a rater reads about one submitted training trace."""

    item: TrainingTrace
    page: AuditPage
    events: tuple[FeedbackEvent, ...]
    next_id: str | None


def trainings_of(user: User) -> list[Training]:
    """The trainings that somebody has begun or can begin, the newest first (4 queries)."""
    own = _with_attempts(Qualification.objects.filter(rater=user)).filter(
        round__campaign__raters__rater=user, round__opened_at__isnull=False
    )
    return [_training(item) for item in own.order_by("-round__opened_at", "-pk")]


def get_training(user: User, round_id: str) -> Training:
    """The user's own training in a round; raises Http404."""
    own = _with_attempts(Qualification.objects.filter(rater=user))
    current = own.filter(round__campaign__raters__rater=user)
    return _training(get_object_or_404(current, round__public_id=round_id))


def get_feedback(user: User, assignment_id: str) -> Feedback:
    """What was accepted on one of the user's own training traces; raises Http404.

    It is that of the last attempt in which the trace was submitted.
    """
    try:
        page = get_audit_page(user=user, public_id=assignment_id)
    except Assignment.DoesNotExist as error:
        raise Http404 from error
    if page.assignment.round.phase != Phase.TRAINING:
        raise Http404
    item = (
        TrainingTrace.objects.filter(assignment=page.assignment, scored_at__isnull=False)
        .select_related("attempt__qualification__round__campaign", "assignment__rater")
        .order_by("-attempt__number")
        .first()
    )
    if item is None:
        raise Http404
    waiting = TrainingTrace.objects.filter(
        attempt__qualification=item.attempt.qualification, scored_at__isnull=True
    ).order_by("assignment__position")
    next_id = waiting.values_list("assignment__public_id", flat=True).first()
    return Feedback(item, page, _shown_events(item, page), next_id)


def qualifications(campaign: Campaign) -> list[Training]:
    """Everybody's training in a campaign, by round and name (4 queries)."""
    rows = _with_attempts(Qualification.objects.filter(round__campaign=campaign))
    rows = rows.select_related("rater", "let_in_by").order_by("round__number", "rater__username")
    return [_training(item) for item in rows]


def training_rounds(campaign: Campaign) -> QuerySet[Round]:
    return campaign.rounds.filter(phase=Phase.TRAINING).order_by("number")


def qualified_in(training: Round) -> QuerySet[Qualification]:
    """Who has passed the training or was let in."""
    is_in = Q(passed_at__isnull=False) | Q(let_in_at__isnull=False)
    return Qualification.objects.filter(is_in, round=training)


def not_yet_in(training: Round) -> QuerySet[User]:
    """Who takes part in the campaign and has not qualified in this training."""
    members = User.objects.filter(campaign_memberships__campaign=training.campaign_id)
    return members.exclude(pk__in=qualified_in(training).values("rater")).order_by("username")


def _with_attempts(qualifications: QuerySet[Qualification]) -> QuerySet[Qualification]:
    traces = TrainingTrace.objects.select_related("assignment__trace__take").order_by("pk")
    attempts = TrainingAttempt.objects.order_by("-number").prefetch_related(
        Prefetch("traces", traces)
    )
    return qualifications.select_related(
        "round__campaign", "round__guideline", "round__ratings", "round__checks"
    ).prefetch_related(Prefetch("attempts", attempts))


def _training(item: Qualification) -> Training:
    checks = checks_of(item.round)
    rubric_ = rubric(item.round.ratings.rubric_version)
    attempts = tuple(_result(attempt, checks, rubric_) for attempt in item.attempts.all())
    return Training(item, checks, attempts)


def _result(attempt: TrainingAttempt, checks: RoundChecks, rubric_: Rubric) -> AttemptResult:
    metrics = tuple(
        MetricScore(
            definition.title,
            definition.metric.value,
            attempt.right.get(definition.metric.value, 0),
            attempt.asked[definition.metric.value],
            checks.pass_per_metric,
        )
        for definition in rubric_.metrics
        if definition.metric.value in attempt.asked
    )
    return AttemptResult(
        number=attempt.number,
        started_at=attempt.started_at,
        finished_at=attempt.finished_at,
        is_passed=attempt.is_passed,
        score=Score(attempt.right, attempt.asked),
        metrics=metrics,
        traces=tuple(attempt.traces.all()),
    )


def _shown_events(item: TrainingTrace, page: AuditPage) -> tuple[FeedbackEvent, ...]:
    """The scored questions in the words of the round's guideline, event by event."""
    text = guideline_text(page.assignment.round)
    labels = {event.index: event for event in page.table.events}
    rows: dict[int, int] = {}
    for row in page.table.rows:
        if row.event_index is not None:
            rows.setdefault(row.event_index, row.index)
    by_event: dict[int | None, list[FeedbackAnswer]] = defaultdict(list)
    for answer in item.answers:
        index, metric = answer["event"], Metric(answer["metric"])
        definition = page.rubric.definition(metric)
        is_repair = index in labels and labels[index].kind is EventKind.CORRECTION
        subject = Subject.CORRECTION if is_repair else Subject.MISTAKE
        words = text.texts[metric, Subject.TRACE if index is None else subject]
        by_event[index].append(
            FeedbackAnswer(
                title=definition.title,
                question=words.question,
                how_to_judge=words.how_to_judge,
                answer=definition.shown(answer["value"]) if answer["value"] else "cannot judge",
                accepted=_listed([definition.shown(value) for value in answer["accepted"]]),
                is_right=answer["is_right"],
                reason=answer["reason"],
            )
        )
    return tuple(
        FeedbackEvent(
            name="Whole trace" if index is None else labels[index].name,
            row=None if index is None else rows.get(index),
            answers=tuple(answers),
        )
        for index, answers in by_event.items()
        if index is None or index in labels
    )


def _listed(words: Sequence[str]) -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} or {words[-1]}"
