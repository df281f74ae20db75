"""Find attempts for agents by payer and part, as those for texts and clips."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("benchmarks", "0034_fill_payer_sums"),
    ]

    operations = [
        migrations.RemoveIndex(
            model_name="agentattempt",
            name="agentattempt_by_payer",
        ),
        migrations.AddIndex(
            model_name="agentattempt",
            index=models.Index(fields=["payer", "part"], name="agentattempt_by_payer"),
        ),
    ]
