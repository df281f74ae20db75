from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("benchmarks", "0030_words_of_models")]

    operations = [
        migrations.AddField(
            model_name="liverun",
            name="state",
            field=models.JSONField(blank=True, default=dict),
        ),
    ]
