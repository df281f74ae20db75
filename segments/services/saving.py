"""Saving segments: gestures, whole or not at all, and answers to the questions about segments.

A save is one short transaction: rows of the log, the segments as they are then, the head, and one
entry of the audit log. What a gesture does is decided in `engine.segments.model`; whether what
comes of it is whole (`faults`) is asked when it is submitted, not here.
"""

from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from django.db import transaction
from django.utils import timezone

from annotation.engine.ratings.adjudication import Cause
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
from segments.services.log import MadeGesture, write_gestures
from segments.services.segmentations import begin_in_turn, check_can_work

NOT_USED = "a number that this client has not used for another {}"


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
    """The sequence numbers that are stored now, and every segment that they touched, as it is."""

    saved: tuple[int, ...]
    head: int
    segments: tuple[Segment, ...]
    status: str


@dataclass(slots=True)
class _Save:
    """The working set of one save."""

    client_id: str
    context: SegmentContext
    state: SegmentationValue
    stored_keys: frozenset[str]
    saved: list[int] = field(default_factory=list)
    made: list[MadeGesture] = field(default_factory=list)
    touched: dict[str, None] = field(default_factory=dict)


def save_gestures(
    *,
    public_id: str,
    client_id: str,
    gestures: Sequence[SentGesture],
    actor: User,
    content: str | None = None,
) -> SegmentsSaved:
    """Apply gestures in order and return what is stored now.

    One that this client has sent before counts once. Raises `InvalidGestureError` before anything
    is written; `GestureConflictError` or `SegmentsClosedError` at the first gesture that cannot be
    stored, of which nothing is, with those before it stored. `public_id` names a segmentation of
    the actor's own; another one does not exist for the actor.
    """
    refused: SegmentError | None = None
    with writing_turn(), transaction.atomic():
        lock_work(Segmentation, public_id)
        context = segment_context(actor, public_id, client_id=client_id)
        keys = {key for sent in gestures for key in sent.keys}
        segments = stored_segments(context.segmentation_id, keys)
        save = _Save(
            client_id, context, SegmentationValue(segments, head=context.head), frozenset(segments)
        )
        fresh = _skip_known(save, gestures)
        if fresh:
            context = check_can_work(context, actor, content=content, saved=tuple(save.saved))
            if context.stage == Stage.AUDIT:
                message = "an audit answers questions and changes no segment"
                raise SegmentsClosedError(LOCKED, message, saved=tuple(save.saved))
            if not context.is_started:
                context = _begun(save, public_id, actor, keys)
            refused = _apply(save, fresh)
        head = _write(save, public_id, actor) if save.made else context.head
    if refused is not None:
        raise refused
    touched = tuple(save.state.segments[key] for key in save.touched)
    return SegmentsSaved(tuple(save.saved), head, touched, context.status)


def _begun(save: _Save, public_id: str, actor: User, keys: set[str]) -> SegmentContext:
    """The context after the proposals were stored, for who saves without having looked."""
    begin_in_turn(save.context, public_id, actor)
    save.context = segment_context(actor, public_id, client_id=save.client_id)
    segments = stored_segments(save.context.segmentation_id, keys)
    save.state = SegmentationValue(segments, head=save.context.head)
    save.stored_keys = frozenset(segments)
    return save.context


def _skip_known(save: _Save, gestures: Sequence[SentGesture]) -> list[SentGesture]:
    """The gestures that have not arrived before; the others count as saved."""
    logged: dict[int, tuple[str, dict[str, Change]]] = {}
    # Sequence numbers grow, so an ordinary save need not search the log.
    if any(sent.sequence <= save.context.last_sequence for sent in gestures):
        logged = logged_gestures(
            save.context.segmentation_id,
            client_id=save.client_id,
            sequences=(sent.sequence for sent in gestures),
        )
    fresh: dict[int, SentGesture] = {}
    for sent in gestures:
        is_known = sent.sequence in logged
        twin = None if is_known else fresh.setdefault(sent.sequence, sent)
        is_same = (
            _is_logged(sent, *logged[sent.sequence]) if twin is None else twin.data == sent.data
        )
        if not is_same:
            raise InvalidGestureError(
                sent.sequence,
                key="",
                field="sequence",
                value=sent.sequence,
                expected=NOT_USED.format("gesture"),
            )
        if is_known:
            save.saved.append(sent.sequence)
            save.touched.update(dict.fromkeys(logged[sent.sequence][1]))
    return list(fresh.values())


def _is_logged(sent: SentGesture, name: str, changes: Mapping[str, Change]) -> bool:
    """Whether the log has under its number what was sent, seen from where it was made."""
    before = {key: change.before for key, change in changes.items() if change.before}
    try:
        again = gesture_from_dict(SegmentationValue(before), sent.data)
    except (GestureError, ConflictError):
        return False
    return again.name == name and {change.key: change for change in again.changes} == changes


def _apply(save: _Save, gestures: Iterable[SentGesture]) -> SegmentError | None:
    """Apply gestures up to the first that is refused; why that one is."""
    for sent in gestures:
        try:
            gesture = gesture_from_dict(save.state, sent.data)
            _check_tracks(gesture, save.context.scheme)
            state = save.state.apply(gesture)
        except GestureError as error:
            raise InvalidGestureError.of(sent.sequence, error) from error
        except ConflictError as error:
            return GestureConflictError(sent.sequence, error, saved=tuple(save.saved))
        if save.context.has_locked_edges and any(map(_moves_edges, gesture.changes)):
            message = "the times of these segments stay; only labels and texts are given"
            return SegmentsClosedError(
                LOCKED, message, saved=tuple(save.saved), sequence=sent.sequence
            )
        save.state = state
        save.made.append(MadeGesture(gesture, save.client_id, sent.sequence, sent.made_at))
        save.touched.update(dict.fromkeys(change.key for change in gesture.changes))
        save.saved.append(sent.sequence)
    return None


def _write(save: _Save, public_id: str, actor: User) -> int:
    """Log what was applied, store the segments as they are then; the head after it."""
    head = write_gestures(
        save.made,
        segmentation_id=save.context.segmentation_id,
        guideline_id=save.context.guideline_id,
        head=save.context.head,
        stored_keys=save.stored_keys,
    )
    told = [
        [item.sequence, item.gesture.name, [change.key for change in item.gesture.changes]]
        for item in save.made
    ]
    record(
        actor=actor,
        action="segments.save",
        subject=f"segmentation:{public_id}",
        detail={"client": save.client_id, "gestures": told},
    )
    return head


def _check_tracks(gesture: Gesture, scheme: Scheme) -> None:
    known = [track.name for track in scheme.tracks]
    for change in gesture.changes:
        if change.after.track not in known:
            expected = f"one of {', '.join(known)}"
            message = f"{gesture.name}, {change.key}: track is {change.after.track!r}"
            raise GestureError(
                f"{message}; expected {expected}",
                key=change.key,
                field="track",
                value=change.after.track,
                expected=expected,
            )


def _moves_edges(change: Change) -> bool:
    """Whether times come, go or change; what has none of its own may be added and taken away."""

    def times(segment: Segment | None) -> tuple[float | None, float | None]:
        if segment is None or segment.is_deleted:
            return None, None
        return segment.start_s, segment.end_s

    return times(change.before) != times(change.after)


@dataclass(frozen=True, slots=True)
class SentCheck:
    """An answer as a browser sends it."""

    sequence: int
    made_at: datetime
    check: StandingAnswer


@dataclass(frozen=True, slots=True)
class ChecksSaved:
    """The sequence numbers that are stored now, and what stands for the segments they are of."""

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
    """Store answers in order; as `save_gestures`, with `CheckConflictError`."""
    refused: SegmentError | None = None
    with writing_turn(), transaction.atomic():
        lock_work(Segmentation, public_id)
        context = segment_context(actor, public_id, client_id=client_id)
        known = logged_checks(
            context.segmentation_id,
            client_id=client_id,
            sequences=(sent.sequence for sent in checks),
        )
        saved: list[int] = []
        fresh: dict[int, SentCheck] = {}
        for sent in checks:
            before = known.get(sent.sequence) or fresh.setdefault(sent.sequence, sent).check
            if before != sent.check:
                raise InvalidGestureError(
                    sent.sequence,
                    key=sent.check.key,
                    field="sequence",
                    value=sent.sequence,
                    expected=NOT_USED.format("answer"),
                )
            if sent.sequence in known:
                saved.append(sent.sequence)
        keys = {sent.check.key for sent in checks}
        if fresh:
            context = check_can_work(context, actor, content=content, saved=tuple(saved))
            if not context.is_started:
                begin_in_turn(context, public_id, actor)
            refused = _store_checks(context, client_id, list(fresh.values()), keys, saved)
            record(
                actor=actor,
                action="segments.check",
                subject=f"segmentation:{public_id}",
                detail={"client": client_id, "checks": saved},
            )
        standing = current_checks(context.segmentation_id, keys)
    if refused is not None:
        raise refused
    return ChecksSaved(tuple(saved), tuple(standing.values()))


def _store_checks(
    context: SegmentContext,
    client_id: str,
    checks: Sequence[SentCheck],
    keys: set[str],
    saved: list[int],
) -> SegmentError | None:
    """Store answers up to the first that is refused, noting them in `saved`; why that one is."""
    segments = stored_segments(context.segmentation_id, keys)
    for sent in checks:
        _check_answer(context, sent, segments)
    decides = context.stage == Stage.ADJUDICATE
    rows, conflict = [], None
    for sent in checks:
        check = sent.check
        now = segments[check.key]
        # Who decides between versions also says why of what is left out.
        if (now.is_deleted and not decides) or now.revision != check.segment_revision:
            conflict = CheckConflictError(sent.sequence, check, now, saved=tuple(saved))
            break
        rows.append(
            SegmentCheck(
                segmentation_id=context.segmentation_id,
                key=check.key,
                segment_revision=check.segment_revision,
                question=check.question,
                answer=check.answer,
                note=check.note,
                client_id=client_id,
                client_sequence=sent.sequence,
                made_at=sent.made_at,
                received_at=timezone.now(),
            )
        )
        saved.append(sent.sequence)
    SegmentCheck.objects.bulk_create(rows, batch_size=500)
    return conflict


def _check_answer(context: SegmentContext, sent: SentCheck, segments: Container[str]) -> None:
    """Raises `InvalidGestureError` for what was not asked, not an answer, or of no segment.

    Who decides between versions is asked why they differ.
    """
    check = sent.check
    decides = context.stage == Stage.ADJUDICATE
    asked = [question.name for question in context.scheme.questions]
    questions = [CAUSE_QUESTION] if decides else asked
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
