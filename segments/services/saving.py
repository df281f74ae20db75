"""Saves gestures, whole or not at all, and answers to the questions about segments.

A save is one short transaction: rows of the log, the changed segments, the head, and one entry of
the audit log. `segments.engine.model` decides what a gesture does; rules of the scheme (`faults`)
are only checked at submission.
"""

from collections.abc import Container, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from functools import partial
from typing import Any

from django.db import transaction
from django.utils import timezone

from annotation.engine.ratings.adjudication import Cause
from annotation.engine.ratings.numbered_changes import sort_arrived
from annotation.models import User
from annotation.services.records.audit_log import record
from annotation.services.records.locks import lock_work, writing_turn
from segments.engine.model import (
    Change,
    ConflictError,
    Gesture,
    GestureError,
    Segment,
    gesture_from_dict,
)
from segments.engine.model import Segmentation as SegmentationValue
from segments.engine.scheme import Scheme
from segments.models import CAUSE_QUESTION, Segmentation, SegmentCheck, Stage
from segments.selectors.saving import (
    SegmentContext,
    StandingAnswer,
    current_checks,
    logged_checks,
    logged_gestures,
    segment_context,
    stored_segments,
)
from segments.services.errors import (
    LOCKED,
    CheckConflictError,
    GestureConflictError,
    InvalidGestureError,
    SegmentError,
    SegmentsClosedError,
)
from segments.services.log import LoggedGesture, write_gestures
from segments.services.segmentations import begin_in_turn, check_can_work


@dataclass(frozen=True, slots=True)
class SentGesture:
    """A gesture as a browser sends it; `data` is read by `gesture_from_dict`."""

    sequence: int
    made_at: datetime
    data: Mapping[str, Any]

    @property
    def keys(self) -> set[str]:
        changes = self.data.get("changes")
        sent = [item.get("key") for item in changes if isinstance(item, dict)] if changes else []
        return {key for key in sent if isinstance(key, str)}


@dataclass(frozen=True, slots=True)
class SegmentsSaved:
    """The stored sequence numbers, and the current state of every segment that they touched."""

    saved: tuple[int, ...]
    head: int
    segments: tuple[Segment, ...]
    status: str


def save_gestures(
    *,
    public_id: str,
    client_id: str,
    gestures: Sequence[SentGesture],
    actor: User,
    content: str | None = None,
) -> SegmentsSaved:
    """Apply gestures in order and return what is stored now; one that is sent twice counts once.

    Raises `InvalidGestureError` before anything is written. Raises `GestureConflictError` or
    `SegmentsClosedError` at the first gesture that cannot be stored; those before it are stored.
    Raises `Segmentation.DoesNotExist` for a `public_id` that is not the actor's.
    """
    with writing_turn(), transaction.atomic():
        lock_work(Segmentation, public_id)
        context = segment_context(actor, public_id, client_id=client_id)
        arrived = sort_arrived(
            gestures,
            logged_under=partial(logged_gestures, context.segmentation_id, client_id),
            is_logged=_is_logged,
            refusal=lambda sent: InvalidGestureError.of_used_number(sent.sequence, "gesture"),
            last_sequence=context.last_sequence,
        )
        if arrived.fresh:
            check_can_work(context, actor, content=content, saved=arrived.saved)
            if context.stage == Stage.AUDIT:
                message = "an audit answers questions and changes no segment"
                raise SegmentsClosedError(LOCKED, message, saved=arrived.saved)
            context = _begun(context, public_id, actor, client_id)
        keys = {key for sent in gestures for key in sent.keys}
        segments = stored_segments(context.segmentation_id, keys)
        applied = _apply(arrived.fresh, context, segments, client_id, arrived.saved)
        if applied.log:
            write_gestures(
                applied.log,
                segmentation_id=context.segmentation_id,
                guideline_id=context.guideline_id,
                head=context.head,
                stored_keys=segments.keys(),
            )
            rows = [[item.sequence, item.gesture.name, item.gesture.keys] for item in applied.log]
            detail, subject = {"client": client_id, "gestures": rows}, f"segmentation:{public_id}"
            record(actor=actor, action="segments.save", subject=subject, detail=detail)
    if applied.refusal is not None:
        raise applied.refusal
    repeated = [key for number in arrived.saved for key in arrived.logged[number][1]]
    touched = dict.fromkeys([*repeated, *(key for one in applied.log for key in one.gesture.keys)])
    shown = tuple(applied.state.segments[key] for key in touched)
    return SegmentsSaved(applied.saved, applied.state.head, shown, context.status)


def _begun(context: SegmentContext, public_id: str, actor: User, client_id: str) -> SegmentContext:
    """The context once the work has begun: its log has to start with proposals."""
    if context.is_started:
        return context
    # A client may save without having opened the page.
    begin_in_turn(context, public_id, actor)
    return segment_context(actor, public_id, client_id=client_id)


@dataclass(frozen=True, slots=True)
class _Applied:
    """What new gestures do: the segments then, the rows of the log, and why one is refused.

    `saved` are the numbers of all gestures that are stored.
    """

    state: SegmentationValue
    log: Sequence[LoggedGesture]
    saved: tuple[int, ...]
    refusal: SegmentError | None


def _apply(
    gestures: Sequence[SentGesture],
    context: SegmentContext,
    segments: Mapping[str, Segment],
    client_id: str,
    saved: tuple[int, ...],
) -> _Applied:
    """Apply gestures in order, up to the first that cannot be stored."""
    state = SegmentationValue(segments, head=context.head)
    log: list[LoggedGesture] = []
    for sent in gestures:
        try:
            gesture = gesture_from_dict(state, sent.data)
            _check_tracks(gesture, context.scheme)
            after = state.apply(gesture)
        except GestureError as error:
            raise InvalidGestureError.of(sent.sequence, error) from error
        except ConflictError as error:
            stale = GestureConflictError(sent.sequence, error, saved=saved)
            return _Applied(state, log, saved, stale)
        if context.has_locked_edges and any(map(_moves_edges, gesture.changes)):
            message = "the times of these segments are locked; only labels and texts change"
            locked = SegmentsClosedError(LOCKED, message, saved=saved, sequence=sent.sequence)
            return _Applied(state, log, saved, locked)
        state = after
        log.append(LoggedGesture(gesture, client_id, sent.sequence, sent.made_at))
        saved = (*saved, sent.sequence)
    return _Applied(state, log, saved, None)


def _is_logged(sent: SentGesture, logged: tuple[str, Mapping[str, Change]]) -> bool:
    """Whether the log has the same gesture under this number; later changes do not matter."""
    name, changes = logged
    before = {key: change.before for key, change in changes.items() if change.before}
    try:
        again = gesture_from_dict(SegmentationValue(before), sent.data)
    except (GestureError, ConflictError):
        return False
    return again.name == name and {change.key: change for change in again.changes} == changes


def _check_tracks(gesture: Gesture, scheme: Scheme) -> None:
    names = [track.name for track in scheme.tracks]
    for change in gesture.changes:
        if change.after.track not in names:
            expected = f"one of {', '.join(names)}"
            message = f"{gesture.name}, {change.key}: track is {change.after.track!r}"
            raise GestureError(
                f"{message}; expected {expected}",
                key=change.key,
                field="track",
                value=change.after.track,
                expected=expected,
            )


def _moves_edges(change: Change) -> bool:
    """Whether times are added, removed or changed; segments without times may come and go."""

    def times(segment: Segment | None) -> tuple[float | None, float | None]:
        if segment is None or segment.is_deleted:
            return None, None
        return segment.start_s, segment.end_s

    return times(change.before) != times(change.after)


@dataclass(frozen=True, slots=True)
class SentCheck:
    sequence: int
    made_at: datetime
    check: StandingAnswer


@dataclass(frozen=True, slots=True)
class ChecksSaved:
    """The stored sequence numbers, and the current answers about the segments in the request."""

    saved: tuple[int, ...]
    checks: tuple[StandingAnswer, ...]


def save_checks(
    *,
    public_id: str,
    client_id: str,
    checks: Sequence[SentCheck],
    actor: User,
    content: str | None = None,
) -> ChecksSaved:
    """Store answers in order; raises as `save_gestures`, with `CheckConflictError` on conflict."""
    refusal: SegmentError | None = None
    with writing_turn(), transaction.atomic():
        lock_work(Segmentation, public_id)
        context = segment_context(actor, public_id, client_id=client_id)
        arrived = sort_arrived(
            checks,
            logged_under=partial(logged_checks, context.segmentation_id, client_id),
            is_logged=lambda sent, logged: logged == sent.check,
            refusal=lambda sent: InvalidGestureError.of_used_number(
                sent.sequence, "answer", key=sent.check.key
            ),
        )
        saved = list(arrived.saved)
        keys = {sent.check.key for sent in checks}
        if arrived.fresh:
            check_can_work(context, actor, content=content, saved=arrived.saved)
            context = _begun(context, public_id, actor, client_id)
            segments = stored_segments(context.segmentation_id, keys)
            rows = []
            for sent in arrived.fresh:
                _check_answer(context, sent, segments)
            for sent in arrived.fresh:
                now = segments[sent.check.key]
                # In an adjudication also what is left out needs a cause.
                is_gone = now.is_deleted and context.stage != Stage.ADJUDICATE
                if is_gone or now.revision != sent.check.segment_revision:
                    refusal = CheckConflictError(sent.sequence, sent.check, now, saved=tuple(saved))
                    break
                rows.append(_check_row(context, sent, client_id))
                saved.append(sent.sequence)
            SegmentCheck.objects.bulk_create(rows, batch_size=500)
            detail, subject = {"client": client_id, "checks": saved}, f"segmentation:{public_id}"
            record(actor=actor, action="segments.check", subject=subject, detail=detail)
        standing = current_checks(context.segmentation_id, keys)
    if refusal is not None:
        raise refusal
    return ChecksSaved(tuple(saved), tuple(standing.values()))


def _check_row(context: SegmentContext, sent: SentCheck, client_id: str) -> SegmentCheck:
    return SegmentCheck(
        segmentation_id=context.segmentation_id,
        **asdict(sent.check),
        client_id=client_id,
        client_sequence=sent.sequence,
        made_at=sent.made_at,
        received_at=timezone.now(),
    )


def _check_answer(context: SegmentContext, sent: SentCheck, segments: Container[str]) -> None:
    """Raises `InvalidGestureError` for an unknown question, cause or segment.

    In an adjudication the only question is why the versions differ.
    """
    check = sent.check
    decides = context.stage == Stage.ADJUDICATE
    questions = [question.name for question in context.scheme.questions]
    if decides:
        questions = [CAUSE_QUESTION]
    field, value, expected = "", "", ""
    if check.question not in questions:
        field, value = "question", check.question
        expected = f"one of {', '.join(questions)}" if questions else "no question: none is asked"
    elif decides and check.note not in set(Cause):
        field, value, expected = "note", check.note, f"one of {', '.join(Cause)}"
    elif check.key not in segments:
        field, value, expected = "key", check.key, "the key of a segment"
    if field:
        raise InvalidGestureError(
            sent.sequence, key=check.key, field=field, value=value, expected=expected
        )
