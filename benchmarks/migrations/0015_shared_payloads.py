import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("benchmarks", "0014_item_set_sources")]

    operations = [
        migrations.CreateModel(
            name="SharedPayload",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("number", models.PositiveIntegerField()),
                ("content", models.JSONField()),
                (
                    "item_set",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="shared_payloads",
                        to="benchmarks.itemset",
                    ),
                ),
            ],
            options={"ordering": ["item_set", "number"]},
        ),
        migrations.AddConstraint(
            model_name="sharedpayload",
            constraint=models.UniqueConstraint(
                fields=("item_set", "number"), name="shared_payload_once"
            ),
        ),
        # The column stays as it is.
        migrations.AlterField(
            model_name="item",
            name="payload",
            field=models.JSONField(db_column="payload", default=dict),
        ),
        migrations.RenameField(model_name="item", old_name="payload", new_name="own_payload"),
        migrations.AddField(
            model_name="item",
            name="shared",
            field=models.ForeignKey(
                blank=True,
                db_constraint=False,
                db_index=False,
                null=True,
                on_delete=django.db.models.deletion.DO_NOTHING,
                related_name="+",
                to="benchmarks.sharedpayload",
            ),
        ),
    ]
