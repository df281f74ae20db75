"""The revision of segments that each person first submitted, from the audit log and the gestures."""

from django.apps.registry import Apps
from django.db import migrations, models
from django.db.backends.base.schema import BaseDatabaseSchemaEditor

SUBMITTED = "segmentation.submit"
SUBJECT = "segmentation:"


def fill(apps: Apps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    """Work that the log does not tell of keeps none: its figures are of what it is now."""
    entries = apps.get_model("annotation", "AuditEntry").objects.filter(action=SUBMITTED)
    events = apps.get_model("annotation", "SegmentEvent").objects
    work = apps.get_model("annotation", "Segmentation").objects
    first = {}
    for subject, made_at in entries.order_by("pk").values_list("subject", "made_at"):
        first.setdefault(subject.removeprefix(SUBJECT), made_at)
    for own in work.filter(public_id__in=first).iterator():
        own.first_submitted_at = first[own.public_id]
        logged = events.filter(segmentation=own, received_at__lte=own.first_submitted_at)
        own.first_head = logged.aggregate(head=models.Max("head"))["head"] or 0
        own.save(update_fields=["first_head", "first_submitted_at"])


class Migration(migrations.Migration):
    dependencies = [("annotation", "0031_budget_stops")]

    operations = [
        migrations.AddField(
            model_name="segmentation",
            name="first_head",
            field=models.PositiveIntegerField(blank=True, null=True),
        ),
        migrations.AddField(
            model_name="segmentation",
            name="first_submitted_at",
            field=models.DateTimeField(blank=True, null=True),
        ),
        migrations.RunPython(fill, migrations.RunPython.noop),
    ]
