"""Saving what raters say besides their answers, as durably as the answers."""

from collections.abc import Mapping, Sequence
from functools import partial

from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from annotation.engine.ratings.numbered_changes import sort_arrived
from annotation.engine.ratings.remarks import (
    RemarkChange,
    RemarkKey,
    RemarkKind,
    RemarkState,
    is_remark_conflict,
)
from annotation.models import Assignment, Remark, User
from annotation.selectors.ratings.saving import (
    SavingContext,
    current_remarks,
    event_ids_of,
    logged_remarks,
    saving_context,
)
from annotation.services.ratings.assignments import check_can_save
from annotation.services.ratings.counts import note_changes
from annotation.services.ratings.errors import (
    ContentReplacedError,
    InvalidRemarkError,
    RemarkConflictError,
    UnknownEventError,
)
from annotation.services.records.audit_log import record
from annotation.services.records.locks import lock_work, writing_turn


def save_remarks(
    *,
    public_id: str,
    client_id: str,
    remarks: Sequence[RemarkChange],
    actor: User,
    content: str | None = None,
) -> dict[RemarkKey, RemarkState]:
    """Store the remarks in order and return what stands now of those that they touched.

    One that this client has sent before counts once. Raises what `save_changes` raises of
    answers: `RemarkConflictError` with the remarks before the stale one stored, everything else
    before anything is written.
    """
    with writing_turn(), transaction.atomic():
        lock_work(Assignment, public_id)
        context = saving_context(actor, public_id, client_id=client_id)
        if content is not None and content != context.content:
            raise ContentReplacedError
        arrived = sort_arrived(
            remarks,
            logged_under=partial(logged_remarks, context.assignment_id, client_id),
            is_logged=lambda change, logged: logged == (change.key, change.text),
            refusal=InvalidRemarkError.of_used_number,
        )
        if arrived.fresh:
            check_can_save(context, actor, saved=arrived.saved)
        event_ids = _event_ids(context, arrived.fresh)
        states = current_remarks(context.assignment_id)
        conflict: RemarkChange | None = None
        entries: list[tuple[RemarkChange, RemarkState]] = []
        for change in arrived.fresh:
            current = states.get(change.key)
            if is_remark_conflict(change, client_id=client_id, current=current):
                conflict = change
                break
            revision = current.revision + 1 if current else 1
            state = RemarkState(change.text, revision, client_id, change.written_at)
            states[change.key] = state
            entries.append((change, state))
        if entries:
            _write(context, entries, states, event_ids)
            kinds, subject = [change.key.kind for change, _ in entries], f"assignment:{public_id}"
            record(actor=actor, action="remarks.save", subject=subject, detail={"kinds": kinds})
    if conflict is not None:
        saved = (*arrived.saved, *(change.sequence for change, _ in entries))
        raise RemarkConflictError(conflict, states[conflict.key], saved=saved)
    return {change.key: states[change.key] for change in remarks}


def _event_ids(
    context: SavingContext, remarks: Sequence[RemarkChange]
) -> dict[int | None, int | None]:
    event_ids = event_ids_of(context, (change.key.event_index for change in remarks))
    for change in remarks:
        index = change.key.event_index
        if index is None:
            continue
        if change.key.kind is not RemarkKind.COMMENT:
            raise InvalidRemarkError(
                change, field="event", expected="none, because it is about the whole trace"
            )
        if index not in event_ids:
            raise UnknownEventError(index)
    return event_ids


def _write(
    context: SavingContext,
    entries: Sequence[tuple[RemarkChange, RemarkState]],
    states: Mapping[RemarkKey, RemarkState],
    event_ids: Mapping[int | None, int | None],
) -> None:
    for change, state in entries:
        row = Remark(
            assignment_id=context.assignment_id,
            event_id=event_ids[change.key.event_index],
            kind=change.key.kind,
            text=change.text,
            revision=state.revision,
            client_id=state.client_id,
            client_sequence=change.sequence,
            written_at=change.written_at,
        )
        same_event = Q(event__isnull=True) if row.event_id is None else Q(event_id=row.event_id)
        before = Remark.objects.filter(
            same_event, assignment_id=context.assignment_id, kind=row.kind, is_current=True
        )
        before.update(is_current=False)
        row.save(force_insert=True)
    # Figures depend on which metrics apply to whom.
    note_changes({context.assignment_id: len(entries)})
    without = states.get(RemarkKey(None, RemarkKind.WITHOUT_VIDEO))
    Assignment.objects.filter(pk=context.assignment_id).update(
        is_without_video=bool(without and without.text),
        **({} if context.is_started else {"started_at": timezone.now()}),
    )
