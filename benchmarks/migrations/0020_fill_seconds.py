import numpy as np
from django.db import migrations
from django.db.models import OuterRef, Subquery


def fill(apps, schema_editor):
    """How long each answer of a model or an agent took, which only its call said before."""
    Assessment = apps.get_model("benchmarks", "Assessment")
    Answer = apps.get_model("benchmarks", "Answer")
    for column, model in (("call", "generation.TextCall"), ("agent_call", "benchmarks.AgentCall")):
        calls = apps.get_model(model).objects.filter(pk=OuterRef(f"{column}_id"))
        answers = Answer.objects.filter(**{f"{column}__isnull": False})
        answers.update(seconds=Subquery(calls.values("seconds")[:1]))
    asked = Assessment.objects.filter(kind__in=("endpoint", "agent"), frozen_at__isnull=False)
    for row in asked.exclude(usage={}):
        rows = Answer.objects.filter(assessment=row, seconds__isnull=False)
        if each := list(rows.values_list("seconds", flat=True)):
            middle, slow = map(float, np.quantile(each, (0.5, 0.95)))
            row.usage = {**row.usage, "seconds_median": middle, "seconds_p95": slow}
            row.save(update_fields=["usage"])


class Migration(migrations.Migration):
    dependencies = [("benchmarks", "0019_answer_stages")]

    operations = [migrations.RunPython(fill, migrations.RunPython.noop)]
