from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("texts", "0005_reason_among_reasons")]

    operations = [migrations.RemoveField(model_name="textverdict", name="reason")]
