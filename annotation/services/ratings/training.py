"""Training: the attempts at traces with gold that a training round gives its raters.

Their assignments enter no figure between raters. What they score: `qualification.py`.
"""

from collections import Counter

import numpy as np
from django.db import transaction
from django.db.models import Max
from django.utils import timezone

from annotation.engine.exceptions import NotNowError
from annotation.models import (
    Assignment,
    AssignmentStatus,
    Purpose,
    Qualification,
    Rating,
    RatingEvent,
    Round,
    TrainingAttempt,
    TrainingTrace,
    User,
)
from annotation.selectors.ratings.gold import checks_of, gold_traces
from annotation.services.ratings.counts import note_changes, recount_work
from annotation.services.records.audit_log import record_campaign

TRAINING_STREAM = 9
TRAINING_CLIENT = "training"


class TrainingError(NotNowError):
    """This attempt cannot be made; the message says why."""


def give_training(round_: Round) -> int:
    """Give everybody in a training round who has none a first attempt; how many traces in all.

    Needs the lock of the campaign.
    """
    ratings = round_.ratings
    if ratings.has_all_traces:
        ratings.traces.set(gold_traces(round_.campaign))
    begun = Qualification.objects.filter(round=round_, attempts__isnull=False).values("rater")
    count = 0
    for member in (
        round_.raters.exclude(rater__in=begun).select_related("rater").order_by("rater_id")
    ):
        qualification, _ = Qualification.objects.get_or_create(round=round_, rater=member.rater)
        count += _give_attempt(qualification, number=1)
    return count


@transaction.atomic
def try_again(*, qualification: Qualification, actor: User) -> TrainingAttempt:
    """Begin the next attempt of a rater who did not pass; raises `TrainingError`."""
    locked = Qualification.objects.select_for_update().get(pk=qualification.pk)
    round_ = locked.round
    checks = checks_of(round_)
    last = locked.attempts.order_by("-number").first()
    if not round_.is_open:
        raise TrainingError("This training is closed.")
    if locked.is_qualified:
        raise TrainingError("You have passed this training.")
    if last is None or last.finished_at is None:
        raise TrainingError("Finish the traces of this attempt first.")
    if checks.most_attempts is not None and last.number >= checks.most_attempts:
        raise TrainingError(
            f"{last.number} attempts were made, and no more are allowed. Ask the researcher."
        )
    _give_attempt(locked, number=last.number + 1)
    record_training(actor, "training.again", locked, {"attempt": last.number + 1})
    return locked.attempts.get(number=last.number + 1)


@transaction.atomic
def note_feedback_shown(item: TrainingTrace) -> None:
    """Remember when the rater was first shown what was accepted."""
    shown = TrainingTrace.objects.filter(pk=item.pk, feedback_shown_at__isnull=True)
    if shown.update(feedback_shown_at=timezone.now()):
        record_training(
            item.assignment.rater,
            "training.feedback",
            item.attempt.qualification,
            {"attempt": item.attempt.number, "assignment": item.assignment.public_id},
        )


def _give_attempt(qualification: Qualification, *, number: int) -> int:
    """Draw the traces of an attempt, those first that the rater has had least often."""
    round_, rater = qualification.round, qualification.rater
    chosen = sorted(
        gold_traces(round_.campaign).filter(rating_rounds=round_.pk).values_list("pk", flat=True)
    )
    if not chosen:
        return 0
    rng = np.random.default_rng([round_.seed, rater.pk, number, TRAINING_STREAM])
    order = [chosen[place] for place in rng.permutation(len(chosen))]
    uses = Counter(
        TrainingTrace.objects.filter(attempt__qualification=qualification).values_list(
            "assignment__trace_id", flat=True
        )
    )
    traces = sorted(order, key=lambda trace: uses[trace])[: checks_of(round_).traces_per_attempt]
    rows = {
        row.trace_id: row
        for row in Assignment.objects.filter(round=round_, rater=rater, trace__in=traces)
    }
    last = Assignment.objects.filter(round=round_, rater=rater).aggregate(last=Max("position"))
    position = -1 if last["last"] is None else last["last"]
    attempt = TrainingAttempt.objects.create(qualification=qualification, number=number)
    for trace in traces:
        position += 1
        row = rows.get(trace)
        if row is None:
            row = Assignment.objects.create(
                round=round_, rater=rater, trace_id=trace, purpose=Purpose.GOLD, position=position
            )
        else:
            _empty(row, position=position, attempt=number)
        TrainingTrace.objects.create(attempt=attempt, assignment=row)
    return len(traces)


def _empty(row: Assignment, *, position: int, attempt: int) -> None:
    """Take the answers of the attempt before out of a trace; the log and its score keep them."""
    answered = Rating.objects.filter(assignment=row).exclude(value="", cannot_judge="")
    now = timezone.now()
    changes = []
    for sequence, rating in enumerate(answered.order_by("pk")):
        rating.value, rating.confidence, rating.cannot_judge = "", None, ""
        rating.is_implied, rating.client_id, rating.rated_at = False, TRAINING_CLIENT, now
        rating.revision += 1
        changes.append((sequence, rating))
    note_changes({row.pk: len(changes)})
    Rating.objects.bulk_update(
        [rating for _, rating in changes],
        ["value", "confidence", "cannot_judge", "is_implied", "client_id", "rated_at", "revision"],
    )
    RatingEvent.objects.bulk_create(
        RatingEvent(
            assignment=row,
            event_id=rating.event_id,
            metric=rating.metric,
            value="",
            revision=rating.revision,
            client_id=f"{TRAINING_CLIENT}-{attempt}",
            client_sequence=sequence,
            guideline_id=rating.guideline_id,
            rated_at=now,
        )
        for sequence, rating in changes
    )
    recount_work([row.pk])
    row.status, row.submitted_at, row.started_at = AssignmentStatus.OPEN, None, None
    row.skipped_at, row.position = None, position
    row.save(update_fields=["status", "submitted_at", "started_at", "skipped_at", "position"])


def record_training(
    actor: User | None, action: str, qualification: Qualification, detail: dict[str, object]
) -> None:
    round_ = qualification.round
    stated = {"round": round_.number, "rater": qualification.rater_id, **detail}
    record_campaign(actor, action, round_.campaign, stated)
