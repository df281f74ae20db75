import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("annotation", "0055_large_columns_of_ingests_last"),
    ]

    operations = [
        migrations.AlterField(
            model_name="event",
            name="trace",
            field=models.ForeignKey(
                db_index=False,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="events",
                to="annotation.trace",
            ),
        ),
        migrations.AddIndex(
            model_name="event",
            index=models.Index(fields=["trace", "kind"], name="event_trace_kind"),
        ),
    ]
