from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("benchmarks", "0003_features")]

    operations = [
        migrations.AddField(
            model_name="assessment",
            name="usage",
            field=models.JSONField(blank=True, default=dict),
        ),
    ]
