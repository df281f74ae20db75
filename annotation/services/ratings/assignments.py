"""Submitting, skipping and reopening a trace that was given to a rater."""

from django.db import transaction
from django.utils import timezone

from annotation.models import Assignment, AssignmentStatus, Campaign, Phase, User
from annotation.selectors.campaigns.protocol import consent_to_ask
from annotation.selectors.corpus.blinding import could_see_since_submitting
from annotation.selectors.ratings.assignments import rating_sheet
from annotation.selectors.ratings.saving import SavingContext
from annotation.services.ratings.errors import (
    CLOSED,
    CONSENT,
    SUBMITTED,
    IncompleteError,
    RatingsClosedError,
)
from annotation.services.ratings.qualification import score_training
from annotation.services.records.audit_log import record
from annotation.services.records.locks import lock_campaign, lock_work


def check_open(*, is_closed: bool, status: str, saved: tuple[int, ...] = ()) -> None:
    """Raise `RatingsClosedError` unless the assignment can be changed."""
    if is_closed:
        raise RatingsClosedError(CLOSED, "this round is closed", saved=saved)
    if status == AssignmentStatus.SUBMITTED:
        raise RatingsClosedError(SUBMITTED, "submitted; reopen it to change ratings", saved=saved)


def check_can_save(context: SavingContext, actor: User, *, saved: tuple[int, ...]) -> None:
    """As `check_open`; before anything is saved, the text of the campaign has to be accepted."""
    check_open(is_closed=context.is_closed, status=context.status, saved=saved)
    if not context.is_started:
        _check_consent(actor, context.campaign_id, saved=saved)


def _check_consent(actor: User, campaign: Campaign | int, *, saved: tuple[int, ...] = ()) -> None:
    if consent_to_ask(actor, campaign):
        raise RatingsClosedError(
            CONSENT, "accept the consent text of the campaign first", saved=saved
        )


@transaction.atomic
def submit_assignment(*, assignment: Assignment, actor: User) -> Assignment:
    """Mark the assignment as finished; submitting it twice changes nothing.

    Raises `IncompleteError` listing everything that is missing, `RatingsClosedError` when the
    round is closed.
    """
    is_training = assignment.round.phase == Phase.TRAINING
    if is_training:
        # Who passes gets traces of another round, and that locks the campaign before assignments.
        lock_campaign(assignment.round.campaign)
    fresh = _lock_and_read(assignment)
    check_open(is_closed=fresh.round.is_closed, status=AssignmentStatus.OPEN)
    if fresh.status == AssignmentStatus.SUBMITTED:
        return fresh
    if fresh.started_at is None:
        _check_consent(actor, fresh.round.campaign)
    missing = rating_sheet(fresh).missing
    if missing:
        raise IncompleteError(missing)
    fresh.status = AssignmentStatus.SUBMITTED
    fresh.submitted_at = timezone.now()
    fresh.save(update_fields=["status", "submitted_at"])
    record(actor=actor, action="assignment.submit", subject=f"assignment:{fresh.public_id}")
    if is_training:
        score_training(fresh, actor)
    return fresh


@transaction.atomic
def skip_assignment(*, assignment: Assignment, actor: User) -> Assignment:
    """Put an open assignment behind all others of its rater; its answers stay."""
    fresh = _lock_and_read(assignment)
    check_open(is_closed=fresh.round.is_closed, status=fresh.status)
    if fresh.started_at is None:
        _check_consent(actor, fresh.round.campaign)
    fresh.skipped_at = timezone.now()
    fresh.save(update_fields=["skipped_at"])
    record(actor=actor, action="assignment.skip", subject=f"assignment:{fresh.public_id}")
    return fresh


@transaction.atomic
def reopen_assignment(*, assignment: Assignment, actor: User) -> Assignment:
    """Let the rater change a submitted assignment again, until its round closes."""
    fresh = _lock_and_read(assignment)
    check_open(is_closed=fresh.round.is_closed, status=AssignmentStatus.OPEN)
    if fresh.status == AssignmentStatus.OPEN:
        return fresh
    if fresh.round.phase == Phase.TRAINING:
        raise RatingsClosedError(CLOSED, "in training an answer stands once its feedback is shown")
    fresh.is_informed = fresh.is_informed or could_see_since_submitting(actor, fresh)
    fresh.status = AssignmentStatus.OPEN
    fresh.submitted_at = None
    fresh.save(update_fields=["status", "submitted_at", "is_informed"])
    record(actor=actor, action="assignment.reopen", subject=f"assignment:{fresh.public_id}")
    return fresh


def _lock_and_read(assignment: Assignment) -> Assignment:
    lock_work(Assignment, assignment.public_id)
    return Assignment.objects.select_related("round__campaign", "round__ratings", "trace").get(
        pk=assignment.pk
    )
