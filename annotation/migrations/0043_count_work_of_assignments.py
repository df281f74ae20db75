from itertools import groupby

from django.db import migrations
from django.db.models import Count

from annotation.engine.campaigns.workload import working_s

BATCH_ROWS = 1000


def count_work(apps, schema_editor):
    """Read every answer of the site once, in the order of the assignments."""
    Assignment = apps.get_model("annotation", "Assignment")
    log = apps.get_model("annotation", "RatingEvent").objects.order_by("assignment_id", "pk")
    rated = apps.get_model("annotation", "Rating").objects.exclude(value="").order_by()
    rated_counts = dict(rated.values_list("assignment_id").annotate(count=Count("pk")))
    waiting = []

    def write():
        names = ["rated_count", "answered_event_count", "last_answer_at", "worked_s"]
        Assignment.objects.bulk_update(waiting, names, batch_size=100)
        waiting.clear()

    read = log.values_list("assignment_id", "event_id", "rated_at").iterator(chunk_size=10_000)
    for pk, changes in groupby(read, key=lambda row: row[0]):
        own = list(changes)
        moments = [at for *_, at in own if at is not None]
        waiting.append(
            Assignment(
                pk=pk,
                rated_count=rated_counts.get(pk, 0),
                answered_event_count=len({event for _, event, _ in own} - {None}),
                last_answer_at=max(moments, default=None),
                worked_s=working_s(moments) or 0.0,
            )
        )
        if len(waiting) == BATCH_ROWS:
            write()
    write()


class Migration(migrations.Migration):
    dependencies = [("annotation", "0042_work_of_assignments")]

    operations = [migrations.RunPython(count_work, migrations.RunPython.noop)]
