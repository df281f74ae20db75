"""Which kinds of rounds there are is what the apps register, not a list of the tables."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("annotation", "0029_pauses_and_losses_of_jobs")]

    operations = [
        migrations.AlterField(
            model_name=model,
            name="kind",
            field=models.CharField(default="ratings", max_length=12),
        )
        for model in ("campaign", "guidelineversion", "round")
    ]
