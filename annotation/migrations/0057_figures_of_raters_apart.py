"""The figures of raters, and of pairs by metric, leave what every page of theirs reads."""

import django.db.models.deletion
from django.db import migrations, models


def move_out(apps, schema_editor):
    pairs = apps.get_model("annotation", "RaterPairs")
    for row in apps.get_model("annotation", "RaterRoundFigures").objects.iterator(chunk_size=10):
        row.figures = row.content.pop("figures", [])
        row.save(update_fields=["content", "figures"])
        pairs.objects.bulk_create(
            pairs(figures=row, metric=metric, rows=rows) for metric, rows in row.old_pairs.items()
        )


def move_back(apps, schema_editor):
    for row in apps.get_model("annotation", "RaterRoundFigures").objects.iterator(chunk_size=10):
        if row.content:
            row.content["figures"] = row.figures
        row.old_pairs = {item.metric: item.rows for item in row.pairs.all()}
        row.save(update_fields=["content", "old_pairs"])


class Migration(migrations.Migration):
    dependencies = [("annotation", "0056_events_by_kind")]

    operations = [
        migrations.AddField(
            model_name="raterroundfigures",
            name="figures",
            field=models.JSONField(blank=True, default=list),
        ),
        migrations.RenameField("raterroundfigures", "pairs", "old_pairs"),
        migrations.CreateModel(
            name="RaterPairs",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("metric", models.CharField(max_length=32)),
                ("rows", models.JSONField(default=list)),
                (
                    "figures",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="pairs",
                        to="annotation.raterroundfigures",
                    ),
                ),
            ],
            options={"verbose_name_plural": "pairs of raters"},
        ),
        migrations.AddConstraint(
            model_name="raterpairs",
            constraint=models.UniqueConstraint(
                fields=("figures", "metric"), name="pairs_once_per_metric"
            ),
        ),
        migrations.RunPython(move_out, move_back),
        migrations.RemoveField("raterroundfigures", "old_pairs"),
    ]
