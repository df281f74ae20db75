from django.db import migrations

# What provenance says of clips that are no pictures of anything.
PLACEHOLDERS = "bridge"


def mark_placeholders(apps, schema_editor):
    Trace = apps.get_model("annotation", "Trace")
    marked = [
        pk
        for pk, provenance in Trace.objects.exclude(video_stem="").values_list("pk", "provenance")
        if str(provenance.get("clips", "")).split(", ")[0] == PLACEHOLDERS
    ]
    for first in range(0, len(marked), 500):
        Trace.objects.filter(pk__in=marked[first : first + 500]).update(has_placeholders=True)


class Migration(migrations.Migration):
    """Traces of earlier versions whose recordings are placeholders; nobody rates their picture."""

    dependencies = [("annotation", "0036_placeholders")]

    operations = [migrations.RunPython(mark_placeholders, migrations.RunPython.noop)]
