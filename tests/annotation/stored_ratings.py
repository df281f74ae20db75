"""Ratings as rows, without the way through a save."""

from datetime import UTC, datetime

from annotation.engine.rubric.rubric import Metric
from annotation.models import Assignment, Rating

AT = datetime(2026, 1, 1, tzinfo=UTC)


def rate(assignment: Assignment, event, metric: Metric, value: str, **fields) -> None:
    Rating.objects.create(
        assignment=assignment,
        event=event,
        metric=metric,
        value=value,
        revision=1,
        client_id="tab",
        rated_at=AT,
        **fields,
    )
