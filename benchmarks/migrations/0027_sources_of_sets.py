from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("benchmarks", "0026_kind_of_review")]

    operations = [
        migrations.AddField(
            model_name="itemset",
            name="source_ids",
            field=models.JSONField(blank=True, default=list),
        ),
    ]
