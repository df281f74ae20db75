"""What a save reads: the lock, the state of its assignment, and the ratings it touches."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import TypeVar

from django.db import connection
from django.db.models import (
    BigIntegerField,
    Count,
    FilteredRelation,
    IntegerField,
    Max,
    Model,
    OuterRef,
    Q,
    QuerySet,
    Subquery,
)
from django.db.models.functions import Coalesce

from annotation.engine.rating_changes import CLEARED, Answer, RatingKey, RatingState
from annotation.engine.rubric import Metric, Rubric
from annotation.models import Assignment, Event, Rating, RatingEvent

Row = TypeVar("Row", bound=Model)
RatingRow = tuple[int | None, str, str, int | None, bool, int, str, datetime]

NO_SEQUENCE = -1
RATING_FIELDS = (
    "pk",
    "metric",
    "value",
    "confidence",
    "is_implied",
    "revision",
    "client_id",
    "rated_at",
)


@dataclass(frozen=True, slots=True)
class SavingContext:
    """What a save has to know of its assignment, read in one query under the lock.

    `last_sequence` is the highest sequence number of the client so far, `NO_SEQUENCE` before any.
    """

    trace_id: int
    status: str
    is_started: bool
    is_closed: bool
    has_video: bool
    event_count: int
    answered_count: int
    last_sequence: int


@dataclass(frozen=True, slots=True)
class StoredRatings:
    """Part of the current ratings of an assignment, with the row ids that a save needs."""

    event_ids: dict[int, int]
    states: dict[RatingKey, RatingState]
    rating_ids: dict[RatingKey, int]


def lock_assignment(assignment_id: int) -> None:
    """Let nobody else change the assignment until the transaction ends.

    SQLite transactions are IMMEDIATE here, so they have the only write lock already. PostgreSQL
    gets a statement of its own: what a locking query reads from other tables may be older than
    the lock it waited for.
    """
    if connection.features.has_select_for_update:
        Assignment.objects.select_for_update().only("pk").get(pk=assignment_id)


def saving_context(assignment_id: int, *, client_id: str, edition: Rubric) -> SavingContext:
    """Return what a save has to know of its assignment; needs the lock."""
    answered = Rating.objects.filter(_counts_as_answered(edition), assignment=OuterRef("pk"))
    changes = RatingEvent.objects.filter(assignment=OuterRef("pk"), client_id=client_id)
    last_change = changes.order_by().values("assignment").annotate(last=Max("client_sequence"))
    assignments = Assignment.objects.filter(pk=assignment_id).annotate(
        event_count=_row_count(Event.objects.filter(trace=OuterRef("trace")), "trace"),
        answered_count=_row_count(answered, "assignment"),
        last_sequence=Coalesce(
            Subquery(last_change.values("last"), output_field=BigIntegerField()), NO_SEQUENCE
        ),
    )
    row = assignments.values_list(
        "trace_id",
        "status",
        "started_at",
        "campaign__closed_at",
        "trace__video_id",
        "event_count",
        "answered_count",
        "last_sequence",
    ).get()
    trace_id, status, started_at, closed_at, video_id, event_count, answered_count, last = row
    return SavingContext(
        trace_id=trace_id,
        status=status,
        is_started=started_at is not None,
        is_closed=closed_at is not None,
        has_video=video_id is not None,
        event_count=event_count,
        answered_count=answered_count,
        last_sequence=last,
    )


def _row_count(rows: QuerySet[Row], group: str) -> Coalesce:
    counted = rows.order_by().values(group).annotate(row_count=Count("pk")).values("row_count")
    return Coalesce(Subquery(counted, output_field=IntegerField()), 0)


def _counts_as_answered(edition: Rubric) -> Q:
    """Return the SQL twin of `is_answered` for the metrics that apply to the trace."""
    with_confidence = [item.metric for item in edition.metrics if item.has_confidence]
    with_video = [item.metric for item in edition.metrics if item.needs_video]
    return (
        ~Q(value=CLEARED)
        & (~Q(metric__in=with_confidence) | Q(confidence__isnull=False))
        & (~Q(metric__in=with_video) | Q(assignment__trace__video__isnull=False))
    )


def stored_ratings(
    assignment_id: int, *, trace_id: int, event_indices: Iterable[int | None]
) -> StoredRatings:
    """Return the current ratings of some events; None among `event_indices` means the trace.

    `event_ids` lacks an index that the trace does not have. Events and their ratings come in one
    query, whatever the number of events.
    """
    wanted = set(event_indices)
    indices = {index for index in wanted if index is not None}
    found = StoredRatings(event_ids={}, states={}, rating_ids={})
    if indices:
        own = FilteredRelation("ratings", condition=Q(ratings__assignment_id=assignment_id))
        events = Event.objects.filter(trace_id=trace_id, index__in=indices)
        for index, event_id, *rating in (
            events.annotate(own=own)
            .order_by()
            .values_list("index", "pk", *(f"own__{name}" for name in RATING_FIELDS))
        ):
            found.event_ids[index] = event_id
            _add_rating(found, index, tuple(rating))
    if None in wanted:
        of_trace = Rating.objects.filter(assignment_id=assignment_id, event__isnull=True)
        for row in of_trace.order_by().values_list(*RATING_FIELDS):
            _add_rating(found, None, row)
    return found


def _add_rating(found: StoredRatings, event_index: int | None, row: RatingRow) -> None:
    rating_id, metric, value, confidence, is_implied, revision, client_id, rated_at = row
    if rating_id is None:
        return
    key = RatingKey(event_index, Metric(metric))
    found.rating_ids[key] = rating_id
    found.states[key] = RatingState(
        answer=Answer(value, confidence),
        is_implied=is_implied,
        revision=revision,
        client_id=client_id,
        rated_at=rated_at,
    )


def last_typed_answer(assignment_id: int, *, event_id: int | None, metric: Metric) -> Answer:
    """Return what the rater last typed for one value, as the log has it."""
    same_event = Q(event__isnull=True) if event_id is None else Q(event_id=event_id)
    typed = RatingEvent.objects.filter(
        same_event, assignment_id=assignment_id, metric=metric, is_implied=False
    )
    row = typed.order_by("-revision").values_list("value", "confidence").first()
    return Answer(*row) if row else Answer()


def logged_changes(
    assignment_id: int, *, client_id: str, sequences: Iterable[int]
) -> dict[int, dict[RatingKey, tuple[Answer, bool]]]:
    """Return what the log holds under some sequence numbers: (answer, is it implied) by key."""
    rows = RatingEvent.objects.filter(
        assignment_id=assignment_id, client_id=client_id, client_sequence__in=list(sequences)
    ).order_by("pk")
    logged: dict[int, dict[RatingKey, tuple[Answer, bool]]] = {}
    for sequence, index, metric, value, confidence, is_implied in rows.values_list(
        "client_sequence", "event__index", "metric", "value", "confidence", "is_implied"
    ):
        key = RatingKey(index, Metric(metric))
        logged.setdefault(sequence, {})[key] = (Answer(value, confidence), is_implied)
    return logged
