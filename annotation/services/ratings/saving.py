"""Saving ratings.

A save is one short transaction: the current values change, the append-only log gets a row for each
of them, and the audit log one entry. What a change does is decided in `engine.ratings.changes`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from django.db import connection, transaction
from django.utils import timezone

from annotation.engine.ratings.changes import (
    CLEARED,
    Answer,
    RatingChange,
    RatingKey,
    RatingState,
    apply_change,
    is_conflict,
)
from annotation.engine.ratings.numbered_changes import sort_arrived
from annotation.engine.rubric.rubric import RatingValueError, Rubric, Scope, check_value, rubric
from annotation.models import Assignment, User
from annotation.selectors.ratings.assignments import CurrentRating
from annotation.selectors.ratings.saving import (
    SavingContext,
    StoredRatings,
    count_missing,
    last_typed_answer,
    logged_changes,
    saving_context,
    stored_ratings,
)
from annotation.services.ratings.assignments import check_can_save
from annotation.services.ratings.counts import note_answers
from annotation.services.ratings.errors import (
    Conflict,
    ContentReplacedError,
    InvalidChangeError,
    RatingConflictError,
    UnknownEventError,
)
from annotation.services.records.audit_log import record
from annotation.services.records.locks import lock_work, writing_turn

# Plain SQL, as in its selector: through the ORM these took a fifth of a save. All three end
# with the columns of `values` in `_write`.
LOG_SQL = """
INSERT INTO annotation_ratingevent
  (assignment_id, event_id, metric, client_sequence, received_at, value, confidence, cannot_judge,
   is_implied, client_id, rated_at, revision, guideline_id)
VALUES (%s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s)
"""
INSERT_SQL = """
INSERT INTO annotation_rating
  (assignment_id, event_id, metric, value, confidence, cannot_judge,
   is_implied, client_id, rated_at, revision, guideline_id)
VALUES (%s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s)
"""
UPDATE_SQL = """
UPDATE annotation_rating SET value = %s, confidence = %s, cannot_judge = %s,
  is_implied = %s, client_id = %s, rated_at = %s, revision = %s, guideline_id = %s
WHERE id = %s
"""

# A row of the log: the number of the change, what it altered and how that is then.
LoggedState = tuple[int, RatingKey, RatingState]


@dataclass(frozen=True, slots=True)
class _Applied:
    """What new changes do: all states then, rows of the log, and the first change that is stale.

    `saved` are the numbers of the changes before it.
    """

    states: Mapping[RatingKey, RatingState]
    log: Sequence[LoggedState]
    saved: tuple[int, ...]
    conflict: Conflict | None


@dataclass(frozen=True, slots=True)
class SaveResult:
    """What a save answers: the sequence numbers now stored and every rating they touched."""

    saved: tuple[int, ...]
    ratings: tuple[CurrentRating, ...]
    missing_count: int
    status: str


def save_changes(
    *,
    public_id: str,
    client_id: str,
    changes: Sequence[RatingChange],
    actor: User,
    content: str | None = None,
) -> SaveResult:
    """Apply the changes in order and return what is stored now.

    A change that this client has sent before counts once and is answered as it was then. Raises
    `InvalidChangeError`, `UnknownEventError` or `RatingsClosedError` before anything is written,
    `ContentReplacedError` when `content` is not the version of the trace that is there now, and
    `RatingConflictError` at the first stale change, with the changes before it stored.
    `public_id` names an assignment of the actor's own; another one does not exist for the actor.
    """
    with writing_turn(), transaction.atomic():
        lock_work(Assignment, public_id)
        context = saving_context(actor, public_id, client_id=client_id)
        if content is not None and content != context.content:
            raise ContentReplacedError
        rubric_ = rubric(context.rubric_version)
        stored = stored_ratings(context, {change.key.event_index for change in changes})
        arrived = sort_arrived(
            changes,
            logged_under=partial(logged_changes, context.assignment_id, client_id),
            is_logged=lambda change, answers: answers.get(change.key) == (change.answer, False),
            refusal=InvalidChangeError.of_used_number,
            last_sequence=context.last_sequence,
        )
        if arrived.fresh:
            check_can_save(context, actor, saved=arrived.saved)
        applied = _apply(arrived.fresh, context, stored, rubric_, client_id)
        if applied.log:
            _write(context, stored, applied)
            rows = [[number, key.event_index, key.metric, state.answer.value]
                    for number, key, state in applied.log]  # fmt: skip
            detail = {"client": client_id, "changes": rows}
            subject = f"assignment:{public_id}"
            record(actor=actor, action="ratings.save", subject=subject, detail=detail)
        missing_count = count_missing(context, rubric_=rubric_)
    saved = (*arrived.saved, *applied.saved)
    if applied.conflict is not None:
        raise RatingConflictError(applied.conflict, saved=saved)
    repeated = [key for number in arrived.saved for key in arrived.logged[number]]
    touched = dict.fromkeys([*repeated, *(key for _, key, _ in applied.log)])
    ratings = tuple(CurrentRating.of(key, applied.states[key]) for key in touched)
    return SaveResult(saved, ratings, missing_count, context.status)


def _apply(
    changes: Sequence[RatingChange],
    context: SavingContext,
    stored: StoredRatings,
    rubric_: Rubric,
    client_id: str,
) -> _Applied:
    """Check all changes and apply them up to the first that does not know of a newer answer."""
    for change in changes:
        _check_change(change, context, stored, rubric_)
    states, log, saved = dict(stored.states), list[LoggedState](), list[int]()
    for change in changes:
        current = states.get(change.key)
        if current is not None and is_conflict(change, client_id=client_id, current=current):
            conflict = Conflict(mine=change, theirs=current)
            return _Applied(states, log, tuple(saved), conflict)
        altered = apply_change(
            change,
            client_id=client_id,
            states=states,
            last_typed=partial(_last_typed, context, stored, log),
            rubric_=rubric_,
        )
        states.update(altered)
        log += [(change.sequence, key, state) for key, state in altered.items()]
        saved.append(change.sequence)
    return _Applied(states, log, tuple(saved), None)


def _check_change(
    change: RatingChange, context: SavingContext, stored: StoredRatings, rubric_: Rubric
) -> None:
    key, answer = change.key, change.answer
    if key.event_index not in stored.event_ids:
        raise UnknownEventError(key.event_index)
    scope = Scope.TRACE if key.event_index is None else Scope.EVENT
    definition = rubric_.definition(key.metric)
    if definition.scope is not scope:
        needed = "an event" if definition.scope is Scope.EVENT else "no event"
        expected = f"{needed} for a metric that is rated once per {definition.scope}"
        raise InvalidChangeError(change, field="event", value=key.event_index, expected=expected)
    if definition.needs_video and not context.has_video:
        expected = "a metric that needs no video, because this trace has none"
        raise InvalidChangeError(change, field="metric", value=str(key.metric), expected=expected)
    if answer.value == CLEARED:
        if answer.confidence is not None:
            raise InvalidChangeError(
                change, field="confidence", value=answer.confidence, expected="none without a value"
            )
        return
    if answer.cannot_judge:
        reason, expected = answer.cannot_judge, "none where there is a value"
        raise InvalidChangeError(change, field="cannot_judge", value=reason, expected=expected)
    try:
        check_value(key.metric, answer.value, answer.confidence, rubric_=rubric_)
    except RatingValueError as error:
        raise InvalidChangeError(
            change, field=error.field, value=error.value, expected=error.expected
        ) from error


def _last_typed(
    context: SavingContext, stored: StoredRatings, log: Sequence[LoggedState], key: RatingKey
) -> Answer:
    """What the rater last typed for a key, in this request or before it."""
    for _, logged_key, state in reversed(log):
        if logged_key == key and not state.is_implied:
            return state.answer
    event_id = stored.event_ids[key.event_index]
    return last_typed_answer(context.assignment_id, event_id=event_id, metric=key.metric)


def _write(context: SavingContext, stored: StoredRatings, applied: _Applied) -> None:
    """Store every value that changed as it is now, and each change in the log."""
    to_stored = connection.ops.adapt_datetimefield_value
    received_at = to_stored(timezone.now())

    def place(key: RatingKey) -> list[str | int | None]:
        return [context.assignment_id, stored.event_ids[key.event_index], key.metric]

    def values(state: RatingState) -> list[str | int | None]:
        answer = state.answer
        return [
            answer.value, answer.confidence, answer.cannot_judge, state.is_implied,
            state.client_id, to_stored(state.rated_at), state.revision, context.guideline_id,
        ]  # fmt: skip

    with connection.cursor() as cursor:
        for key in dict.fromkeys(key for _, key, _ in applied.log):
            state = applied.states[key]
            if key in stored.rating_ids:
                cursor.execute(UPDATE_SQL, [*values(state), stored.rating_ids[key]])
            else:
                cursor.execute(INSERT_SQL, [*place(key), *values(state)])
        for sequence, key, state in applied.log:
            cursor.execute(LOG_SQL, [*place(key), sequence, received_at, *values(state)])
    if not context.is_started:
        started = Assignment.objects.filter(pk=context.assignment_id)
        started.update(started_at=timezone.now())
    _note_answers(context, stored, applied)


def _note_answers(context: SavingContext, stored: StoredRatings, applied: _Applied) -> None:
    keys = {key for _, key, _ in applied.log}
    before = [key for key in keys & stored.states.keys() if stored.states[key].answer.value]
    answered = {key.event_index for key in keys} - {None}
    note_answers(
        context,
        [state.rated_at for *_, state in applied.log if state.rated_at is not None],
        rated_change=sum(bool(applied.states[key].answer.value) for key in keys) - len(before),
        event_change=len(answered - {key.event_index for key in stored.states}),
    )
