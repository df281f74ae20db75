from django.db import migrations, models


def keep_servers(apps, schema_editor):
    """The judges that are named are named with the servers that they have now."""
    sets = apps.get_model("benchmarks", "ItemSet").objects
    for item_set in sets.exclude(judges=None).distinct().prefetch_related("judges"):
        servers = {judge.public_id: judge.base_url for judge in item_set.judges.all()}
        sets.filter(pk=item_set.pk).update(judge_servers=servers)


class Migration(migrations.Migration):
    dependencies = [("benchmarks", "0027_sources_of_sets")]

    operations = [
        migrations.AddField(
            model_name="itemset",
            name="judge_servers",
            field=models.JSONField(blank=True, default=dict),
        ),
        migrations.RunPython(keep_servers, migrations.RunPython.noop),
    ]
