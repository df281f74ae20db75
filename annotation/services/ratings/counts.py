"""How often the ratings of an assignment have changed: figures tell by it that they are old."""

from collections.abc import Mapping

from django.db import connection

# Plain SQL, because it runs for every keystroke of every rater, as the statements of a save do.
CHANGED_SQL = "UPDATE annotation_assignment SET change_count = change_count + %s WHERE id = %s"


def note_changes(count_by_assignment: Mapping[int, int]) -> None:
    """Add to the counts of changes; call it in the transaction that changes the ratings.

    The rows stay locked until it ends. A save locks its assignment first, so what writes ratings
    of many assignments calls this before that; one order keeps two of them from deadlock.
    """
    with connection.cursor() as cursor:
        for assignment_id, count in sorted(count_by_assignment.items()):
            cursor.execute(CHANGED_SQL, [count, assignment_id])
