"""Find attempts for texts and clips by payer and part; sums of prices are kept apart since 0021."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("generation", "0022_fill_payer_sums"),
    ]

    operations = [
        migrations.RemoveIndex(
            model_name="clipattempt",
            name="clipattempt_by_payer",
        ),
        migrations.RemoveIndex(
            model_name="textattempt",
            name="textattempt_by_payer",
        ),
        migrations.AddIndex(
            model_name="clipattempt",
            index=models.Index(fields=["payer", "part"], name="clipattempt_by_payer"),
        ),
        migrations.AddIndex(
            model_name="textattempt",
            index=models.Index(fields=["payer", "part"], name="textattempt_by_payer"),
        ),
    ]
