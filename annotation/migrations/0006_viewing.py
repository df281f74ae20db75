import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("annotation", "0005_video_etag"),
    ]

    operations = [
        migrations.AddField(
            model_name="rating",
            name="reference_watched_s",
            field=models.FloatField(blank=True, null=True),
        ),
        migrations.AddField(
            model_name="rating",
            name="trace_watched_s",
            field=models.FloatField(blank=True, null=True),
        ),
        migrations.CreateModel(
            name="Viewing",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("content", models.CharField(max_length=16)),
                ("opened_at", models.DateTimeField()),
                ("reference", models.JSONField(blank=True, default=list)),
                ("trace", models.JSONField(blank=True, default=list)),
                ("refused_s", models.FloatField(default=0.0)),
                ("updated_at", models.DateTimeField(auto_now=True)),
                (
                    "assignment",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="viewing",
                        to="annotation.assignment",
                    ),
                ),
            ],
        ),
    ]
