"""Saving ratings.

A save is one short transaction: the current values change, the append-only log gets a row for each
of them, and the audit log one entry. What a change does is decided in `engine.rating_changes`.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

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
from annotation.engine.rubric.rubric import (
    RatingValueError,
    Rubric,
    Scope,
    applicable_metrics,
    check_value,
    rubric,
)
from annotation.models import Assignment, User
from annotation.selectors.ratings.assignments import CurrentRating
from annotation.selectors.ratings.saving import (
    SavingContext,
    StoredRatings,
    answered_count,
    last_typed_answer,
    logged_changes,
    saving_context,
    stored_ratings,
)
from annotation.services.ratings.assignments import check_can_save
from annotation.services.ratings.counts import note_changes
from annotation.services.ratings.errors import (
    Conflict,
    ContentReplacedError,
    InvalidChangeError,
    RatingConflictError,
    UnknownEventError,
)
from annotation.services.records.audit_log import record
from annotation.services.records.locks import lock_work, writing_turn

# Plain SQL, as in `selectors.saving`: through the ORM these took a fifth of a save. All three end
# with the columns of `_values`.
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


@dataclass(frozen=True, slots=True)
class SaveResult:
    """What a save answers: the sequence numbers now stored and every rating they touched."""

    saved: tuple[int, ...]
    ratings: tuple[CurrentRating, ...]
    missing_count: int
    status: str


@dataclass(slots=True)
class _Save:
    """The working set of one save: what was there, and what the changes so far have made of it."""

    public_id: str
    client_id: str
    edition: Rubric
    context: SavingContext
    stored: StoredRatings
    states: dict[RatingKey, RatingState]
    saved: list[int] = field(default_factory=list)
    touched: dict[RatingKey, None] = field(default_factory=dict)
    log: list[tuple[int, RatingKey, RatingState]] = field(default_factory=list)
    conflict: Conflict | None = None

    def last_typed(self, key: RatingKey) -> Answer:
        for _, logged_key, state in reversed(self.log):
            if logged_key == key and not state.is_implied:
                return state.answer
        return last_typed_answer(
            self.context.assignment_id,
            event_id=None if key.event_index is None else self.stored.event_ids[key.event_index],
            metric=key.metric,
        )


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
        edition = rubric(context.rubric_version)
        stored = stored_ratings(
            context, event_indices=(change.key.event_index for change in changes)
        )
        save = _Save(public_id, client_id, edition, context, stored, dict(stored.states))
        _apply_all(save, _skip_known(save, changes), actor)
        if save.log:
            _write(save, actor)
        answers = answered_count(context, edition=edition)
    if save.conflict is not None:
        raise RatingConflictError(save.conflict, saved=tuple(save.saved))
    return _result(save, answers)


def _skip_known(save: _Save, changes: Sequence[RatingChange]) -> list[RatingChange]:
    """The changes that have not arrived before; the others count as saved."""
    logged: dict[int, dict[RatingKey, tuple[Answer, bool]]] = {}
    # Sequence numbers grow, so an ordinary save need not search the log.
    if any(change.sequence <= save.context.last_sequence for change in changes):
        logged = logged_changes(
            save.context.assignment_id,
            client_id=save.client_id,
            sequences=(change.sequence for change in changes),
        )
    fresh: dict[int, RatingChange] = {}
    for change in changes:
        twin = fresh.setdefault(change.sequence, change) if change.sequence not in logged else None
        is_same = (
            (twin.key, twin.answer) == (change.key, change.answer)
            if twin is not None
            else logged[change.sequence].get(change.key) == (change.answer, False)
        )
        if not is_same:
            raise InvalidChangeError(
                change,
                field="sequence",
                value=change.sequence,
                expected="a number that this client has not used for another change",
            )
        if twin is None:
            save.saved.append(change.sequence)
            save.touched.update(dict.fromkeys(logged[change.sequence]))
    return list(fresh.values())


def _apply_all(save: _Save, changes: Sequence[RatingChange], actor: User) -> None:
    if not changes:
        return
    check_can_save(save.context, actor, saved=tuple(save.saved))
    for change in changes:
        _check_change(save, change)
    for change in changes:
        current = save.states.get(change.key)
        if current is not None and is_conflict(change, client_id=save.client_id, current=current):
            save.conflict = Conflict(mine=change, theirs=current)
            return
        altered = apply_change(
            change,
            client_id=save.client_id,
            states=save.states,
            last_typed=save.last_typed,
            edition=save.edition,
        )
        save.states.update(altered)
        save.log.extend((change.sequence, key, state) for key, state in altered.items())
        save.touched.update(dict.fromkeys(altered))
        save.saved.append(change.sequence)


def _check_change(save: _Save, change: RatingChange) -> None:
    key, answer = change.key, change.answer
    if key.event_index is not None and key.event_index not in save.stored.event_ids:
        raise UnknownEventError(key.event_index)
    scope = Scope.TRACE if key.event_index is None else Scope.EVENT
    definition = save.edition.definition(key.metric)
    if definition.scope is not scope:
        raise InvalidChangeError(
            change,
            field="event",
            value=key.event_index,
            expected=f"{'an event' if definition.scope is Scope.EVENT else 'no event'}"
            f" for a metric that is rated once per {definition.scope}",
        )
    if definition.needs_video and not save.context.has_video:
        raise InvalidChangeError(
            change,
            field="metric",
            value=str(key.metric),
            expected="a metric that needs no video, because this trace has none",
        )
    if answer.value == CLEARED:
        if answer.confidence is not None:
            raise InvalidChangeError(
                change, field="confidence", value=answer.confidence, expected="none without a value"
            )
        return
    if answer.cannot_judge:
        raise InvalidChangeError(
            change,
            field="cannot_judge",
            value=answer.cannot_judge,
            expected="none where there is a value",
        )
    try:
        check_value(key.metric, answer.value, answer.confidence, edition=save.edition)
    except RatingValueError as error:
        raise InvalidChangeError(
            change, field=error.field, value=error.value, expected=error.expected
        ) from error


def _write(save: _Save, actor: User) -> None:
    context = save.context
    received_at = connection.ops.adapt_datetimefield_value(timezone.now())
    with connection.cursor() as cursor:
        for key in dict.fromkeys(key for _, key, _ in save.log):
            values = _values(save, save.states[key])
            if key in save.stored.rating_ids:
                cursor.execute(UPDATE_SQL, [*values, save.stored.rating_ids[key]])
            else:
                place = [context.assignment_id, _event_id(save, key), key.metric]
                cursor.execute(INSERT_SQL, [*place, *values])
        for sequence, key, state in save.log:
            cursor.execute(
                LOG_SQL,
                [
                    context.assignment_id,
                    _event_id(save, key),
                    key.metric,
                    sequence,
                    received_at,
                    *_values(save, state),
                ],
            )
    note_changes({context.assignment_id: len(save.log)})
    if not save.context.is_started:
        Assignment.objects.filter(pk=context.assignment_id).update(started_at=timezone.now())
    record(
        actor=actor,
        action="ratings.save",
        subject=f"assignment:{save.public_id}",
        detail={
            "client": save.client_id,
            "changes": [
                [sequence, key.event_index, key.metric, state.answer.value]
                for sequence, key, state in save.log
            ],
        },
    )


def _event_id(save: _Save, key: RatingKey) -> int | None:
    return None if key.event_index is None else save.stored.event_ids[key.event_index]


def _values(save: _Save, state: RatingState) -> tuple[str | int | None, ...]:
    return (
        state.answer.value,
        state.answer.confidence,
        state.answer.cannot_judge,
        state.is_implied,
        state.client_id,
        connection.ops.adapt_datetimefield_value(state.rated_at),
        state.revision,
        save.context.guideline_id,
    )


def _result(save: _Save, answers: int) -> SaveResult:
    context, edition = save.context, save.edition
    per_event = applicable_metrics(Scope.EVENT, context.has_video, edition=edition)
    per_trace = applicable_metrics(Scope.TRACE, context.has_video, edition=edition)
    return SaveResult(
        saved=tuple(save.saved),
        ratings=tuple(
            CurrentRating(
                key=key,
                answer=state.answer,
                is_implied=state.is_implied,
                revision=state.revision,
                rated_at=state.rated_at,
            )
            for key in save.touched
            for state in [save.states[key]]
        ),
        missing_count=context.event_count * len(per_event) + len(per_trace) - answers,
        status=context.status,
    )
