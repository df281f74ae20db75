from django.db import migrations, models
from django.db.models import F


def copy(apps, schema_editor):
    ingests = apps.get_model("annotation", "VideoIngest").objects
    ingests.update(new_thumbnails=F("thumbnails"), new_peaks=F("peaks"))


def copy_back(apps, schema_editor):
    ingests = apps.get_model("annotation", "VideoIngest").objects
    ingests.update(thumbnails=F("new_thumbnails"), peaks=F("new_peaks"))


class Migration(migrations.Migration):
    """Only a column that is added stands last, in the table and whenever SQLite copies it."""

    dependencies = [("annotation", "0054_words_of_notes")]

    operations = [
        migrations.AddField(
            "videoingest", "new_thumbnails", models.JSONField(blank=True, default=list)
        ),
        migrations.AddField("videoingest", "new_peaks", models.JSONField(blank=True, default=list)),
        migrations.RunPython(copy, copy_back),
        migrations.RemoveField("videoingest", "thumbnails"),
        migrations.RemoveField("videoingest", "peaks"),
        migrations.RenameField("videoingest", "new_thumbnails", "thumbnails"),
        migrations.RenameField("videoingest", "new_peaks", "peaks"),
    ]
