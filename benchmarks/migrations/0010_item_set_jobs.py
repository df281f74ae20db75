import django.db.models.deletion
from django.db import migrations, models
from django.db.models import F


def fill(apps, schema_editor):
    """Until now a set was made at once or not at all."""
    apps.get_model("benchmarks", "ItemSet").objects.update(made_at=F("created_at"))


class Migration(migrations.Migration):
    dependencies = [
        ("annotation", "0030_kinds_of_rounds"),
        ("benchmarks", "0009_left_out"),
    ]

    operations = [
        migrations.AddField(
            model_name="itemset",
            name="job",
            field=models.OneToOneField(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="item_set",
                to="annotation.job",
            ),
        ),
        migrations.AddField(
            model_name="itemset",
            name="made_at",
            field=models.DateTimeField(blank=True, null=True),
        ),
        migrations.AlterField(
            model_name="itemset",
            name="content_hash",
            field=models.CharField(blank=True, max_length=64),
        ),
        migrations.RunPython(fill, migrations.RunPython.noop),
    ]
