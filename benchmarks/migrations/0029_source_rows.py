from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("benchmarks", "0028_servers_of_judges")]

    operations = [
        migrations.AddField(
            model_name="question",
            name="source_row",
            field=models.JSONField(blank=True, default=dict),
        ),
    ]
