from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("texts", "0002_text_round_figures")]

    operations = [
        migrations.AddField(
            model_name="textround",
            name="margin_s",
            field=models.FloatField(default=2.0),
        ),
        migrations.AddConstraint(
            model_name="textround",
            constraint=models.CheckConstraint(
                condition=models.Q(("margin_s__gte", 0), ("margin_s__lte", 60.0)),
                name="text_margin_known",
            ),
        ),
    ]
