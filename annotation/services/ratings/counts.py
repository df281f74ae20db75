"""What an assignment knows of its ratings: how often they changed, how many there are, the work.

Figures tell by the changes that they are old; lists of a million ratings need not be read to say
who has done how much.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime

from django.db import connection
from django.db.models import Count

from annotation.engine.campaigns.workload import working_s
from annotation.models import Assignment, Rating, RatingEvent
from annotation.selectors.ratings.saving import SavingContext

# Plain SQL, because it runs for every keystroke of every rater, as the statements of a save do.
CHANGED_SQL = "UPDATE annotation_assignment SET change_count = change_count + %s WHERE id = %s"
WORKED_SQL = """
UPDATE annotation_assignment SET rated_count = rated_count + %s,
  answered_event_count = answered_event_count + %s, last_answer_at = %s, worked_s = %s,
  change_count = change_count + %s
WHERE id = %s
"""
BATCH_ROWS = 500


def note_changes(count_by_assignment: Mapping[int, int]) -> None:
    """Add to the counts of changes; call it in the transaction that changes the ratings.

    The rows stay locked until it ends. A save locks its assignment first, so what writes ratings
    of many assignments calls this before that; one order keeps two of them from deadlock.
    """
    with connection.cursor() as cursor:
        for assignment_id, count in sorted(count_by_assignment.items()):
            cursor.execute(CHANGED_SQL, [count, assignment_id])


def note_answers(
    context: SavingContext, moments: Sequence[datetime], *, rated_change: int, event_change: int
) -> None:
    """As `note_changes` for the answers of one save, of which `moments` are the times.

    `rated_change` and `event_change` are how many answers and answered events came to it. Call it
    when the answers are written.
    """
    last = context.last_answer_at
    if last is not None and min(moments) < last:
        # Sent late, as by a tab that was without network: the gaps between others change.
        note_changes({context.assignment_id: len(moments)})
        recount_work([context.assignment_id])
        return
    worked_s = context.worked_s + (working_s(moments if last is None else [last, *moments]) or 0.0)
    last_at = connection.ops.adapt_datetimefield_value(max(moments))
    values = [rated_change, event_change, last_at, worked_s, len(moments), context.assignment_id]
    with connection.cursor() as cursor:
        cursor.execute(WORKED_SQL, values)


def recount_work(assignment_ids: Iterable[int]) -> None:
    """Count the work of these assignments anew, from their ratings and the log.

    As `note_changes`, which locks them, comes before their ratings are written, this comes after.
    """
    ordered = sorted(assignment_ids)
    for start in range(0, len(ordered), BATCH_ROWS):
        ids = ordered[start : start + BATCH_ROWS]
        rated = Rating.objects.filter(assignment__in=ids).exclude(value="").order_by()
        rated_counts = dict(rated.values_list("assignment_id").annotate(count=Count("pk")))
        moments: dict[int, list[datetime]] = defaultdict(list)
        events: dict[int, set[int]] = defaultdict(set)
        log = RatingEvent.objects.filter(assignment__in=ids).order_by()
        for pk, event, at in log.values_list("assignment_id", "event_id", "rated_at"):
            if event is not None:
                events[pk].add(event)
            if at is not None:
                moments[pk].append(at)
        Assignment.objects.bulk_update(
            [
                Assignment(
                    pk=pk,
                    rated_count=rated_counts.get(pk, 0),
                    answered_event_count=len(events[pk]),
                    last_answer_at=max(moments[pk], default=None),
                    worked_s=working_s(moments[pk]) or 0.0,
                )
                for pk in ids
            ],
            ["rated_count", "answered_event_count", "last_answer_at", "worked_s"],
            batch_size=100,
        )
