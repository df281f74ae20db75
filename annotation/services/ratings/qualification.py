"""Who qualifies: what training traces score, who is let in, and the rounds that this opens.

A submitted training trace is scored at once and stays as it is, because the rater then reads what
was accepted. When the last trace of an attempt is in, the attempt counts.
"""

from typing import Any

from django.db import transaction
from django.utils import timezone

from annotation.engine.ratings.gold import PassRule, accepted_values, score_of
from annotation.engine.rubric.rubric import Metric, rubric
from annotation.models import (
    Assignment,
    Phase,
    Qualification,
    Rating,
    Round,
    RoundRater,
    TrainingAttempt,
    TrainingTrace,
    User,
)
from annotation.selectors.ratings.gold import active_gold, checks_of
from annotation.services.ratings.rounds import allocate_round
from annotation.services.ratings.training import TrainingError, record_training
from annotation.services.records.locks import lock_campaign


def score_training(assignment: Assignment, actor: User) -> None:
    """Score a training trace that was just submitted, and its attempt when it is the last one.

    Needs the locks of campaign and assignment.
    """
    item = TrainingTrace.objects.filter(assignment=assignment, scored_at__isnull=True).first()
    if item is None:
        return
    now = timezone.now()
    item.answers, item.scored_at = _answers(assignment), now
    item.save(update_fields=["answers", "scored_at"])
    attempt = TrainingAttempt.objects.select_related("qualification__round__campaign").get(
        pk=item.attempt_id
    )
    if attempt.traces.filter(scored_at__isnull=True).exists():
        return
    qualification = attempt.qualification
    checks = checks_of(qualification.round)
    answers = [answer for trace in attempt.traces.all() for answer in trace.answers]
    score = score_of((answer["metric"], answer["is_right"]) for answer in answers)
    attempt.right, attempt.asked = dict(score.right), dict(score.asked)
    attempt.finished_at = now
    attempt.is_passed = score.passes(PassRule(checks.pass_overall, checks.pass_per_metric))
    attempt.save(update_fields=["right", "asked", "finished_at", "is_passed"])
    detail = {"attempt": attempt.number, "right": attempt.right, "asked": attempt.asked}
    if attempt.is_passed and not qualification.is_qualified:
        qualification.passed_at = now
        qualification.save(update_fields=["passed_at"])
    action = "training.pass" if attempt.is_passed else "training.fail"
    record_training(actor, action, qualification, detail)
    if attempt.is_passed:
        _admit(qualification, actor)


@transaction.atomic
def let_in(*, training: Round, rater: User, reason: str, actor: User) -> Qualification:
    """Admit somebody who has not passed, for a written reason; raises `TrainingError`."""
    lock_campaign(training.campaign)
    if training.phase != Phase.TRAINING:
        raise TrainingError(f"Round {training.number} is no training round.")
    if not reason.strip():
        raise TrainingError("Write down why this person may go on without passing.")
    if not training.campaign.raters.filter(rater=rater).exists():
        raise TrainingError(f"{rater.username} does not take part in this campaign.")
    qualification, _ = Qualification.objects.select_for_update().get_or_create(
        round=training, rater=rater
    )
    if qualification.is_qualified:
        raise TrainingError(f"{rater.username} is in already.")
    qualification.let_in_at, qualification.let_in_by = timezone.now(), actor
    qualification.let_in_reason = reason.strip()
    qualification.save(update_fields=["let_in_at", "let_in_by", "let_in_reason"])
    record_training(actor, "training.let_in", qualification, {"reason": reason.strip()})
    _admit(qualification, actor)
    return qualification


def _admit(qualification: Qualification, actor: User) -> None:
    """Put a qualified rater into the rounds that ask for it; needs the lock of the campaign."""
    waiting = Round.objects.filter(
        checks__qualified_by=qualification.round_id, closed_at__isnull=True
    ).select_related("campaign", "ratings", "checks__qualified_by")
    for round_ in waiting.order_by("number"):
        RoundRater.objects.get_or_create(round=round_, rater=qualification.rater)
        if round_.is_open:
            allocate_round(round_, actor)


def _answers(assignment: Assignment) -> list[dict[str, Any]]:
    """Every question of the trace with gold: what was answered, what is accepted, and why."""
    rubric_ = rubric(assignment.round.ratings.rubric_version)
    values: dict[tuple[int | None, str], str] = {
        (event, metric): value
        for event, metric, value in Rating.objects.filter(assignment=assignment).values_list(
            "event_id", "metric", "value"
        )
    }
    order = {item.metric.value: place for place, item in enumerate(rubric_.metrics)}
    items = active_gold(assignment.round.campaign_id).filter(trace=assignment.trace_id)
    answers: list[dict[str, Any]] = []
    for item in items.select_related("event"):
        definition = rubric_.definition(Metric(item.metric))
        accepted = accepted_values(definition, item.accepted, item.band)
        value = values.get((item.event_id, item.metric))
        if value is None and definition.needs_video:
            # Rated without its video: the question was not asked.
            continue
        answers.append(
            {
                "event": None if item.event is None else item.event.index,
                "metric": item.metric,
                "value": value or "",
                "accepted": list(accepted),
                "is_right": value in accepted,
                "reason": item.reason,
            }
        )
    none_last = 1_000_000
    return sorted(
        answers,
        key=lambda answer: (
            none_last if answer["event"] is None else answer["event"],
            order[str(answer["metric"])],
        ),
    )
