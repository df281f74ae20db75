"""A person's segments of a recording: begun, submitted, reopened, rejected, returned, accepted."""

from collections.abc import Mapping
from dataclasses import replace

from django.db import transaction
from django.db.models import F
from django.utils import timezone

from annotation.models import User
from annotation.selectors.campaigns.protocol import consent_to_ask
from annotation.services.records.audit_log import record
from annotation.services.records.locks import lock_work, share_round, writing_turn
from segments.engine.faults import Fault, FaultKind, faults
from segments.engine.model import Change, Gesture, Segment
from segments.engine.model import Segmentation as SegmentationValue
from segments.models import RejectReason, Segmentation, SegmentationStatus, SegmentRecording, Stage
from segments.selectors.reading import SITE
from segments.selectors.saving import (
    WORKED_ON,
    SegmentContext,
    current_checks,
    segment_context,
    stored_segments,
)
from segments.selectors.segmentations import (
    media_of,
    procedure_of,
    scheme_of,
    segmentation_for_person,
)
from segments.services.errors import (
    CLOSED,
    CONSENT,
    LOCKED,
    REPLACED,
    SUBMITTED,
    IncompleteWorkError,
    SegmentsClosedError,
)
from segments.services.log import LoggedGesture, write_gestures

BEGIN = "begin"
BEGIN_AGAIN = "begin again with what the author submitted"
# Nobody can mend these where edges are locked, so they do not stop submitting.
FAULTS_OF_EDGES = frozenset(
    {
        FaultKind.GAP,
        FaultKind.OVERLAP,
        FaultKind.TOO_SHORT,
        FaultKind.NOT_A_POINT,
        FaultKind.BEYOND_THE_END,
    }
)
DONE_WORDS = {
    SegmentationStatus.SUBMITTED: "submitted; reopen it to change segments",
    SegmentationStatus.ACCEPTED: "accepted; it can no longer be changed",
    SegmentationStatus.REJECTED: "rejected; reopen it to change segments",
}


def check_can_work(
    context: SegmentContext,
    actor: User,
    *,
    content: str | None = None,
    saved: tuple[int, ...] = (),
) -> None:
    """Raise `SegmentsClosedError` unless the person can go on with it.

    `content` is the version of the recording that the person's page shows.
    """
    check_open(context, saved=saved)
    if context.status not in WORKED_ON:
        status = SegmentationStatus(context.status)
        raise SegmentsClosedError(SUBMITTED, DONE_WORDS[status], saved=saved)
    if context.waits_for_author:
        message = "its author has it back; go on when it is submitted again"
        raise SegmentsClosedError(LOCKED, message, saved=saved)
    check_consent(context, actor, saved=saved)
    begun_with = context.begun_with if context.is_started else context.content
    if not context.content == begun_with == (content or begun_with):
        message = (
            "this recording was replaced by another version after the work began, so"
            " the segments may no longer fit"
        )
        raise SegmentsClosedError(REPLACED, message, saved=saved)


def check_consent(context: SegmentContext, actor: User, *, saved: tuple[int, ...] = ()) -> None:
    if not context.is_started and consent_to_ask(actor, context.campaign_id):
        message = "accept the consent text of the campaign first"
        raise SegmentsClosedError(CONSENT, message, saved=saved)


def check_open(context: SegmentContext, *, saved: tuple[int, ...] = ()) -> None:
    if context.is_closed:
        raise SegmentsClosedError(CLOSED, "this round is closed", saved=saved)


def begin(*, public_id: str, actor: User) -> bool:
    """Store the proposals as the first gesture, so that the log alone gives the segments.

    Returns whether it was begun now: not twice, and not while the round is closed or a consent text
    has to be accepted.
    """
    with writing_turn(), transaction.atomic():
        lock_work(Segmentation, public_id)
        context = segment_context(actor, public_id)
        if context.is_started:
            return False
        try:
            check_can_work(context, actor)
        except SegmentsClosedError:
            return False
        begin_in_turn(context, public_id, actor)
    return True


def begin_in_turn(context: SegmentContext, public_id: str, actor: User) -> None:
    """As `begin`, for callers that hold the lock and have called `check_can_work`."""
    recording = SegmentRecording.objects.get(segmentations=context.segmentation_id)
    _set_segments(context, {item["key"]: Segment(**item) for item in recording.proposals}, BEGIN)
    Segmentation.objects.filter(pk=context.segmentation_id).update(
        started_at=timezone.now(), content=context.content
    )
    record(actor=actor, action="segmentation.begin", subject=f"segmentation:{public_id}")


def _set_segments(
    context: SegmentContext, targets: Mapping[str, Segment | None], name: str
) -> None:
    """Bring segments to `targets` (None: deleted) in one gesture of the site."""
    now = stored_segments(context.segmentation_id)
    changes = []
    for key, target in targets.items():
        before = now.get(key)
        after = replace(before, is_deleted=True) if before and target is None else target
        if after is not None:
            after = replace(after, revision=before.revision + 1 if before else 1)
            changes.append(Change(before, after))
    if not changes:
        return
    gesture = Gesture(name, tuple(changes))
    state = SegmentationValue(now, head=context.head).apply(gesture)
    write_gestures(
        [LoggedGesture(gesture, SITE, state.head, timezone.now())],
        segmentation_id=context.segmentation_id,
        guideline_id=context.guideline_id,
        head=context.head,
        stored_keys=now.keys(),
    )


def submit(*, public_id: str, actor: User) -> Segmentation:
    """Submit a person's own segmentation; submitting it twice changes nothing.

    Raises `IncompleteWorkError` with everything that is left to do, `SegmentsClosedError` where it
    cannot be changed.
    """
    with writing_turn(), transaction.atomic():
        context, own = _locked(public_id, actor)
        if own.status == SegmentationStatus.SUBMITTED:
            check_open(context)
            return own
        check_can_work(context, actor)
        if not context.is_started:
            begin_in_turn(context, public_id, actor)
            context, own = _locked(public_id, actor)
        _check_whole(context, own)
        _set_status(own, SegmentationStatus.SUBMITTED, actor, "submit")
        _tell_reviewers(own)
    return own


def reopen(*, public_id: str, actor: User) -> Segmentation:
    """Let a person change submitted or rejected work again, until its round closes."""
    with writing_turn(), transaction.atomic():
        context, own = _locked(public_id, actor)
        check_open(context)
        if own.status in WORKED_ON:
            return own
        if own.status == SegmentationStatus.ACCEPTED:
            accepted = DONE_WORDS[SegmentationStatus.ACCEPTED]
            raise SegmentsClosedError(SUBMITTED, accepted)
        _set_status(own, SegmentationStatus.OPEN, actor, "reopen")
    return own


def carry_over(*, public_id: str, actor: User) -> Segmentation:
    """Go on with a recording whose take or trace was replaced after the work began.

    Segments keep the ids of their steps; one whose step no longer exists has a fault. Finished work
    is refused.
    """
    with writing_turn(), transaction.atomic():
        context, own = _locked(public_id, actor)
        check_open(context)
        if own.status not in WORKED_ON:
            raise SegmentsClosedError(SUBMITTED, DONE_WORDS[SegmentationStatus(own.status)])
        if context.is_started and context.content != context.begun_with:
            own.content = context.content
            own.save(update_fields=["content"])
            detail = {"from": context.begun_with, "to": context.content}
            subject = f"segmentation:{public_id}"
            record(actor=actor, action="segmentation.carry-over", subject=subject, detail=detail)
    return own


def reject(*, public_id: str, reason: RejectReason, note: str, actor: User) -> Segmentation:
    """Mark a recording as impossible to segment; its segments stay as they are."""
    with writing_turn(), transaction.atomic():
        context, own = _locked(public_id, actor)
        check_can_work(context, actor)
        if not context.is_started:
            begin_in_turn(context, public_id, actor)
            context, own = _locked(public_id, actor)
        own.reject_reason, own.reason = reason, note
        _set_status(own, SegmentationStatus.REJECTED, actor, "reject")
    return own


def return_to_author(*, public_id: str, note: str, actor: User) -> Segmentation:
    """Return the author's work with a note; the review waits until it is submitted again.

    Raises `SegmentsClosedError` where the round of either is closed, or there is no author.
    """
    with writing_turn(), transaction.atomic():
        _, own, author = _review(public_id, actor)
        author.reason = note
        _set_status(author, SegmentationStatus.RETURNED, actor, "return")
        if own.status not in WORKED_ON:
            _set_status(own, SegmentationStatus.OPEN, actor, "reopen")
    return own


def accept(*, public_id: str, actor: User) -> Segmentation:
    """Accept the author's work, and submit the review unless it was submitted before.

    Raises as `submit` and `return_to_author`.
    """
    with writing_turn(), transaction.atomic():
        context, own, author = _review(public_id, actor)
        if own.status != SegmentationStatus.SUBMITTED:
            check_can_work(context, actor)
            _check_whole(context, own)
            _set_status(own, SegmentationStatus.SUBMITTED, actor, "submit")
        if author.status != SegmentationStatus.ACCEPTED:
            _set_status(author, SegmentationStatus.ACCEPTED, actor, "accept")
    return own


def _review(public_id: str, actor: User) -> tuple[SegmentContext, Segmentation, Segmentation]:
    """The review and the author's work, both locked and in open rounds."""
    source = segmentation_for_person(actor, public_id).recording.source_segmentation
    # Lock the author's first, as `submit` does before its reviews: else both could wait forever.
    if source is not None:
        lock_work(Segmentation, source.public_id)
    context, own = _locked(public_id, actor)
    author = own.recording.source_segmentation
    check_open(context)
    check_consent(context, actor)
    if context.stage != Stage.REVIEW or author is None:
        raise SegmentsClosedError(LOCKED, "this is not a review of somebody's segments")
    if author.round.is_closed:
        raise SegmentsClosedError(CLOSED, "the round of its author is closed")
    if author.status in WORKED_ON:
        raise SegmentsClosedError(LOCKED, "its author has it back already")
    return context, own, author


def _locked(public_id: str, actor: User) -> tuple[SegmentContext, Segmentation]:
    lock_work(Segmentation, public_id)
    return segment_context(actor, public_id), segmentation_for_person(actor, public_id)


def _check_whole(context: SegmentContext, own: Segmentation) -> None:
    scheme, media = scheme_of(own.round), media_of(own.recording)
    segments = stored_segments(own.pk)
    state = SegmentationValue(segments, media.duration_s, media.rate, context.head)
    open_faults: tuple[Fault, ...] = ()
    if context.stage != Stage.AUDIT:
        steps = [step["step_id"] for step in procedure_of(own.recording.take)]
        open_faults = faults(state, scheme, steps)
        if context.has_locked_edges:
            open_faults = tuple(fault for fault in open_faults if fault.kind not in FAULTS_OF_EDGES)
    unanswered: list[tuple[str, str]] = []
    if context.stage in (Stage.AUDIT, Stage.CORRECT):
        checks = current_checks(own.pk)
        for segment in state:
            for question in scheme.questions if segment.start_s is not None else ():
                check = checks.get((segment.key, question.name))
                is_answered = (
                    check is not None
                    and check.segment_revision == segment.revision
                    and (context.stage == Stage.AUDIT or check.answer)
                )
                if not is_answered:
                    unanswered.append((segment.key, question.name))
    if open_faults or unanswered:
        raise IncompleteWorkError(open_faults, tuple(unanswered))


def _set_status(own: Segmentation, status: SegmentationStatus, actor: User, verb: str) -> None:
    now = timezone.now()
    own.status = status
    if status == SegmentationStatus.SUBMITTED:
        own.submitted_at, own.decided_at = now, None
        if own.first_submitted_at is None:
            own.first_head, own.first_submitted_at = own.head, now
    elif status == SegmentationStatus.OPEN:
        own.submitted_at, own.decided_at, own.reject_reason, own.reason = None, None, "", ""
    else:
        own.decided_at = now
    own.save(
        update_fields=[
            "status", "submitted_at", "first_head", "first_submitted_at", "decided_at",
            "reject_reason", "reason",
        ]
    )  # fmt: skip
    detail = {"reason": own.reject_reason} if own.reject_reason else {}
    subject = f"segmentation:{own.public_id}"
    record(actor=actor, action=f"segmentation.{verb}", subject=subject, detail=detail)


def _tell_reviewers(author: Segmentation) -> None:
    """Bring the author's latest changes into the open reviews, as proposals again.

    The reviewer's changes to segments that the author did not touch stay.
    """
    recordings = SegmentRecording.objects.filter(
        source_segmentation=author,
        round__segments__stage=Stage.REVIEW,
        round__opened_at__isnull=False,
        round__closed_at__isnull=True,
    )
    segments = SegmentationValue(stored_segments(author.pk))
    current = {item.key: replace(item, is_proposal=True, revision=1) for item in segments}
    for recording in recordings:
        share_round(recording.round_id)
        if not recordings.filter(pk=recording.pk).exists():
            continue
        old = {item["key"]: Segment(**item) for item in recording.proposals}
        changed = {
            key: current.get(key)
            for key in {**old, **current}
            if current.get(key)
            != (replace(old[key], is_proposal=True, revision=1) if key in old else None)
        }
        if not changed:
            continue
        recording.proposals = [segment.to_dict() for segment in current.values()]
        recording.save(update_fields=["proposals"])
        # Reviewers who have left the campaign get nothing more.
        begun = recording.segmentations.filter(
            status__in=WORKED_ON,
            started_at__isnull=False,
            round__campaign__raters__rater=F("person"),
        )
        for review in begun.select_related("person").order_by("pk"):
            lock_work(Segmentation, review.public_id)
            context = segment_context(review.person, review.public_id)
            _set_segments(context, changed, BEGIN_AGAIN)
