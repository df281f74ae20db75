from django.db import migrations
from django.db.models import Sum


def fill(apps, schema_editor):
    """What finished assessments took, which was summed from their calls at every look before."""
    Assessment = apps.get_model("benchmarks", "Assessment")
    Answer = apps.get_model("benchmarks", "Answer")
    for row in Assessment.objects.filter(kind="endpoint", frozen_at__isnull=False):
        sums = Answer.objects.filter(assessment=row, call__isnull=False).aggregate(
            usd=Sum("call__price"),
            tokens_in=Sum("call__tokens_in"),
            tokens_out=Sum("call__tokens_out"),
            seconds=Sum("call__seconds"),
        )
        if sums["seconds"] is not None:
            row.usage = {**sums, "usd": None if sums["usd"] is None else float(sums["usd"])}
            row.save(update_fields=["usage"])


class Migration(migrations.Migration):
    dependencies = [("benchmarks", "0004_assessment_usage")]

    operations = [migrations.RunPython(fill, migrations.RunPython.noop)]
