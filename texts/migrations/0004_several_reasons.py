from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("texts", "0003_margin_of_clips")]

    operations = [
        migrations.AddField(
            model_name="textverdict",
            name="reasons",
            field=models.JSONField(blank=True, default=list),
        ),
    ]
