"""Assignments to rate, changes as the page sends them, and what is stored afterwards."""

from datetime import UTC, datetime, timedelta

from annotation.engine.ratings.changes import Answer, RatingChange, RatingKey
from annotation.engine.rubric.rubric import Metric
from annotation.models import Assignment, RatingEvent
from annotation.selectors.ratings.assignments import rating_sheet
from annotation.services.ratings.saving import save_changes
from tests.factories import (
    AssignmentFactory,
    EventFactory,
    TraceFactory,
    VideoFactory,
)

AT = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
LOGIC = Metric.PROCEDURE_LOGIC
SEQUENCE = Metric.SEQUENCE_CONSISTENCY
STATE = Metric.STATE_CHANGE_COHERENCE
EVENT_ANSWERS = {
    Metric.ERROR_VALIDITY: Answer("yes"),
    Metric.HUMAN_PLAUSIBILITY: Answer("4"),
    Metric.CONFUSABILITY: Answer("2"),
    Metric.PROCEDURE_LOGIC: Answer("yes", 3),
    Metric.SEQUENCE_CONSISTENCY: Answer("3"),
    Metric.STATE_CHANGE_COHERENCE: Answer("yes"),
    Metric.TAXONOMY_FIT: Answer("WE"),
}


def make_assignment(*, event_count: int = 1, has_video: bool = False, **fields) -> Assignment:
    trace = TraceFactory(video=VideoFactory() if has_video else None)
    for index in range(event_count):
        EventFactory(trace=trace, index=index)
    return AssignmentFactory(trace=trace, **fields)


def change(
    sequence: int,
    metric: Metric,
    value: str,
    confidence: int | None = None,
    *,
    event: int | None = 0,
    base: int = 0,
) -> RatingChange:
    return RatingChange(
        sequence=sequence,
        key=RatingKey(event, metric),
        answer=Answer(value, confidence),
        base_revision=base,
        rated_at=AT + timedelta(seconds=sequence),
    )


def save(assignment: Assignment, *changes: RatingChange, client: str = "tab"):
    return save_changes(
        public_id=assignment.public_id, client_id=client, changes=changes, actor=assignment.rater
    )


def values(assignment: Assignment) -> dict[Metric, tuple[str, int | None, bool, int]]:
    return {
        item.key.metric: (
            item.answer.value,
            item.answer.confidence,
            item.is_implied,
            item.revision,
        )
        for item in rating_sheet(assignment).ratings
    }


def log(assignment: Assignment) -> list[tuple[Metric, str, bool, int]]:
    return [
        (Metric(row.metric), row.value, row.is_implied, row.revision)
        for row in RatingEvent.objects.filter(assignment=assignment).order_by("pk")
    ]


def value_and_confidence(answer: Answer) -> tuple[str, int | None]:
    return answer.value, answer.confidence


def all_answers() -> list[tuple[Metric, Answer]]:
    return list(EVENT_ANSWERS.items())
