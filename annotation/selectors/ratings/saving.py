"""What a save reads: the state of its assignment, and the ratings that it touches.

These queries run for every keystroke of every rater, so they are plain SQL: building them
through the ORM took more than half of the processor time of a save (2.6 of 5.2 ms). The SQL is the
part that SQLite and PostgreSQL share.
"""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from django.db import connection
from django.db.models import Q

from annotation.engine.corpus.content_hash import content_version
from annotation.engine.ratings.changes import Answer, RatingKey, RatingState
from annotation.engine.ratings.numbered_changes import NO_SEQUENCE
from annotation.engine.ratings.remarks import RemarkKey, RemarkKind, RemarkState
from annotation.engine.rubric.rubric import Metric, Rubric, Scope, applicable_metrics
from annotation.models import Assignment, Event, RatingEvent, Remark, User

CONTEXT_SQL = """
SELECT a.id, a.trace_id, a.status, a.started_at IS NOT NULL, o.closed_at IS NOT NULL,
  t.video_id IS NOT NULL AND NOT t.has_placeholders AND NOT a.is_without_video,
  q.rubric_version, o.guideline_id, t.content_hash, k.content_hash, k.id,
  (SELECT COUNT(*) FROM annotation_event e WHERE e.trace_id = a.trace_id),
  (SELECT MAX(l.client_sequence) FROM annotation_ratingevent l
    WHERE l.assignment_id = a.id AND l.client_id = %s),
  o.campaign_id, a.last_answer_at, a.worked_s
FROM annotation_assignment a
JOIN annotation_round o ON o.id = a.round_id
JOIN annotation_ratinground q ON q.round_id = o.id
JOIN annotation_trace t ON t.id = a.trace_id
JOIN annotation_take k ON k.id = t.take_id
JOIN annotation_campaignrater m ON m.campaign_id = o.campaign_id AND m.rater_id = a.rater_id
WHERE a.public_id = %s AND a.rater_id = %s
"""
EVENT_RATINGS_SQL = """
SELECT e."index", e.id,
  r.id, r.metric, r.value, r.confidence, r.cannot_judge,
  r.is_implied, r.revision, r.client_id, r.rated_at
FROM annotation_event e
LEFT JOIN annotation_rating r ON r.event_id = e.id AND r.assignment_id = %s
WHERE e.trace_id = %s AND e."index" IN ({places})
"""
TRACE_RATINGS_SQL = """
SELECT r.id, r.metric, r.value, r.confidence, r.cannot_judge,
  r.is_implied, r.revision, r.client_id, r.rated_at
FROM annotation_rating r WHERE r.assignment_id = %s AND r.event_id IS NULL
"""


@dataclass(frozen=True, slots=True)
class SavingContext:
    """What a save has to know of its assignment, read in one query under the lock.

    `content` is the version of what is rated. `last_sequence` is the highest sequence number of the
    client so far, `NO_SEQUENCE` before any.
    """

    assignment_id: int
    trace_id: int
    status: str
    is_started: bool
    is_closed: bool
    has_video: bool
    rubric_version: str
    guideline_id: int
    content: str
    event_count: int
    last_sequence: int
    campaign_id: int
    last_answer_at: datetime | None
    worked_s: float


@dataclass(frozen=True, slots=True)
class StoredRatings:
    """Part of the current ratings of an assignment, with the row ids that a save needs.

    `event_ids` are those by the index of the event; the whole trace, None, has None.
    """

    event_ids: dict[int | None, int | None]
    states: dict[RatingKey, RatingState]
    rating_ids: dict[RatingKey, int]


def saving_context(user: User, public_id: str, *, client_id: str) -> SavingContext:
    """What a save has to know of one of the user's own assignments; needs the lock.

    Raises `Assignment.DoesNotExist` for everybody else's, as `assignment_for_rater` does.
    """
    with connection.cursor() as cursor:
        cursor.execute(CONTEXT_SQL, [client_id, public_id, user.pk])
        row = cursor.fetchone()
    if row is None:
        raise Assignment.DoesNotExist
    return SavingContext(
        assignment_id=row[0],
        trace_id=row[1],
        status=row[2],
        is_started=bool(row[3]),
        is_closed=bool(row[4]),
        has_video=bool(row[5]),
        rubric_version=row[6],
        guideline_id=row[7],
        content=content_version(trace_hash=row[8], take_hash=row[9], take_id=row[10]),
        event_count=row[11],
        last_sequence=NO_SEQUENCE if row[12] is None else row[12],
        campaign_id=row[13],
        last_answer_at=_in_utc(row[14]),
        worked_s=row[15],
    )


def stored_ratings(context: SavingContext, event_indices: Collection[int | None]) -> StoredRatings:
    """The current ratings of some events; None among `event_indices` means the trace.

    `event_ids` lacks an index that the trace does not have. Events and their ratings come in one
    query, whatever the number of events.
    """
    indices = [index for index in event_indices if index is not None]
    stored = StoredRatings(event_ids={None: None}, states={}, rating_ids={})
    with connection.cursor() as cursor:
        if indices:
            sql = EVENT_RATINGS_SQL.format(places=", ".join(["%s"] * len(indices)))
            cursor.execute(sql, [context.assignment_id, context.trace_id, *indices])
            for index, event_id, *rating in cursor.fetchall():
                stored.event_ids[index] = event_id
                _add_rating(stored, index, rating)
        if None in event_indices:
            cursor.execute(TRACE_RATINGS_SQL, [context.assignment_id])
            for rating in cursor.fetchall():
                _add_rating(stored, None, rating)
    return stored


def _add_rating(stored: StoredRatings, event_index: int | None, row: Iterable[Any]) -> None:
    rating_id, metric, value, confidence, reason, is_implied, revision, client_id, rated_at = row
    if rating_id is None:
        return
    key = RatingKey(event_index, Metric(metric))
    stored.rating_ids[key] = rating_id
    stored.states[key] = RatingState(
        answer=Answer(value, confidence, reason),
        is_implied=bool(is_implied),
        revision=revision,
        client_id=client_id,
        rated_at=_in_utc(rated_at),
    )


def _in_utc(moment: datetime | None) -> datetime | None:
    """A plain query on SQLite gives UTC without saying so."""
    return moment if moment is None or moment.tzinfo else moment.replace(tzinfo=UTC)


def count_missing(context: SavingContext, *, rubric_: Rubric) -> int:
    """How many required answers are missing: the SQL twin of `required_keys` and `is_answered`."""
    with_confidence = [item.metric.value for item in rubric_.metrics if item.has_confidence]
    absent = [item.metric.value for item in rubric_.metrics if item.needs_video]
    left_out = [] if context.has_video else absent
    conditions = ["assignment_id = %s", "(value <> '' OR cannot_judge <> '')"]
    if with_confidence:
        places = ", ".join(["%s"] * len(with_confidence))
        conditions.append(f"(confidence IS NOT NULL OR value = '' OR metric NOT IN ({places}))")
    if left_out:
        conditions.append(f"metric NOT IN ({', '.join(['%s'] * len(left_out))})")
    # Only placeholders are put together here, never values.
    sql = f"SELECT COUNT(*) FROM annotation_rating WHERE {' AND '.join(conditions)}"  # noqa: S608
    with connection.cursor() as cursor:
        cursor.execute(sql, [context.assignment_id, *with_confidence, *left_out])
        answered = int(cursor.fetchone()[0])
    per_event = applicable_metrics(Scope.EVENT, context.has_video, rubric_=rubric_)
    per_trace = applicable_metrics(Scope.TRACE, context.has_video, rubric_=rubric_)
    return context.event_count * len(per_event) + len(per_trace) - answered


def last_typed_answer(assignment_id: int, *, event_id: int | None, metric: Metric) -> Answer:
    """What the rater last typed for one value, as the log has it."""
    same_event = Q(event__isnull=True) if event_id is None else Q(event_id=event_id)
    typed = RatingEvent.objects.filter(
        same_event, assignment_id=assignment_id, metric=metric, is_implied=False
    )
    fields = ("value", "confidence", "cannot_judge")
    row = typed.order_by("-revision").values_list(*fields).first()
    return Answer(*row) if row else Answer()


def logged_changes(
    assignment_id: int, client_id: str, sequences: Sequence[int]
) -> dict[int, dict[RatingKey, tuple[Answer, bool]]]:
    """What the log holds under some sequence numbers: (answer, is it implied) by key."""
    rows = RatingEvent.objects.filter(
        assignment_id=assignment_id, client_id=client_id, client_sequence__in=sequences
    ).order_by("pk")
    logged: dict[int, dict[RatingKey, tuple[Answer, bool]]] = {}
    fields = ("client_sequence", "event__index", "metric", "is_implied")
    for sequence, index, metric, is_implied, *answer in rows.values_list(
        *fields, "value", "confidence", "cannot_judge"
    ):
        logged.setdefault(sequence, {})[RatingKey(index, Metric(metric))] = (
            Answer(*answer),
            is_implied,
        )
    return logged


def event_ids_of(
    context: SavingContext, indices: Iterable[int | None]
) -> dict[int | None, int | None]:
    """Row ids of some events, None for the trace; an index that it does not have is left out."""
    wanted = {index for index in indices if index is not None}
    rows = Event.objects.filter(trace_id=context.trace_id, index__in=wanted)
    return {None: None, **dict(rows.values_list("index", "pk"))}


def current_remarks(assignment_id: int) -> dict[RemarkKey, RemarkState]:
    """What stands as the rater's remarks; one that was taken back has an empty text."""
    rows = Remark.objects.filter(assignment_id=assignment_id, is_current=True).order_by("pk")
    return {
        RemarkKey(index, RemarkKind(kind)): RemarkState(text, revision, client_id, written_at)
        for index, kind, text, revision, client_id, written_at in rows.values_list(
            "event__index", "kind", "text", "revision", "client_id", "written_at"
        )
    }


def logged_remarks(
    assignment_id: int, client_id: str, sequences: Sequence[int]
) -> dict[int, tuple[RemarkKey, str]]:
    """What the log holds under some sequence numbers of a client."""
    rows = Remark.objects.filter(
        assignment_id=assignment_id, client_id=client_id, client_sequence__in=sequences
    )
    return {
        sequence: (RemarkKey(index, RemarkKind(kind)), text)
        for sequence, index, kind, text in rows.values_list(
            "client_sequence", "event__index", "kind", "text"
        )
    }
