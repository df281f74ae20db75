import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("annotation", "0039_figures_of_raters"),
        ("benchmarks", "0024_step_proposals"),
    ]

    operations = [
        migrations.AddField(
            model_name="itemset",
            name="review",
            field=models.ForeignKey(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.SET_NULL,
                related_name="+",
                to="annotation.round",
            ),
        ),
    ]
