"""Put the traces that raters have not begun in another order, as an app above asks.

Nothing but places in queues changes. Gold, traps and repeats keep theirs, and so does a trace that
comes again, so that a repeat stays as far from it as it was.
"""

from collections.abc import Callable
from typing import Any

from annotation.models import Assignment, Purpose, Round
from annotation.services.ratings.rounds import unbegun
from annotation.services.records.locks import lock_campaign


def movable_assignments(round_: Round) -> list[Assignment]:
    """What may change its place, in the order of the queues (two queries)."""
    repeated = set(
        Assignment.objects.filter(round=round_, purpose=Purpose.REPEAT).values_list(
            "rater_id", "trace_id"
        )
    )
    rows = unbegun(round_).filter(skipped_at__isnull=True).order_by("rater", "position", "pk")
    return [row for row in rows if (row.rater_id, row.trace_id) not in repeated]


def reorder_queues(*, round_: Round, by: Callable[[Assignment], Any]) -> int:
    """Sort what each rater has not begun by a key, over the same places; needs a transaction.

    Equal ones stay in their order. Returns how many changed their place.
    """
    lock_campaign(round_.campaign)
    queues: dict[int, list[Assignment]] = {}
    for row in movable_assignments(round_):
        queues.setdefault(row.rater_id, []).append(row)
    moved = []
    for rows in queues.values():
        places = [row.position for row in rows]
        for place, row in zip(places, sorted(rows, key=by), strict=True):
            if row.position != place:
                row.position = place
                moved.append(row)
    Assignment.objects.bulk_update(moved, ["position"], batch_size=500)
    return len(moved)
