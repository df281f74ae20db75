"""Submit what an import completed."""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from datetime import datetime

from django.utils import timezone

from annotation.engine.ratings.changes import Answer, RatingKey, is_answered, required_keys
from annotation.engine.rubric.rubric import Metric, rubric
from annotation.models import Assignment, AssignmentStatus, Event, Rating
from annotation.selectors.ratings.assignments import asks_of_video

BATCH_ROWS = 1000


def id_batches(ids: Iterable[int]) -> Iterator[list[int]]:
    """Yield the ids in lists that a database takes as parameters of one query."""
    ordered = sorted(ids)
    for start in range(0, len(ordered), BATCH_ROWS):
        yield ordered[start : start + BATCH_ROWS]


def submit_complete(assignments: Iterable[Assignment]) -> int:
    """Mark as submitted what has every answer now, as of its last one; return how many."""
    still_open = {item.pk: item for item in assignments if item.status == AssignmentStatus.OPEN}
    count = 0
    for ids in id_batches(still_open):
        answers: defaultdict[int, dict[RatingKey, Answer]] = defaultdict(dict)
        last_rated_at: dict[int, datetime] = {}
        now = timezone.now()
        ratings = Rating.objects.filter(assignment__in=ids).select_related("event")
        for rating in ratings.order_by("assignment", "rated_at"):
            index = rating.event.index if rating.event else None
            answer = Answer(rating.value, rating.confidence, rating.cannot_judge)
            answers[rating.assignment_id][RatingKey(index, Metric(rating.metric))] = answer
            before = last_rated_at.get(rating.assignment_id)
            times = [time for time in (before, rating.rated_at) if time is not None]
            # Of answers without a time it is only known that they were given by now.
            last_rated_at[rating.assignment_id] = max(times, default=now)
        indices: defaultdict[int, list[int]] = defaultdict(list)
        events = Event.objects.filter(trace__in={still_open[key].trace_id for key in ids})
        for trace, index in events.values_list("trace_id", "index"):
            indices[trace].append(index)
        complete = []
        for assignment in (still_open[key] for key in ids):
            own = answers[assignment.pk]
            rubric_ = rubric(assignment.round.ratings.rubric_version)
            required = required_keys(
                indices[assignment.trace_id], has_video=asks_of_video(assignment), rubric_=rubric_
            )
            if all(key in own and is_answered(key, own[key], rubric_=rubric_) for key in required):
                assignment.status = AssignmentStatus.SUBMITTED
                assignment.submitted_at = last_rated_at[assignment.pk]
                complete.append(assignment)
        Assignment.objects.bulk_update(complete, ["status", "submitted_at"], batch_size=100)
        count += len(complete)
    return count
