from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [("benchmarks", "0032_move_state_of_live_runs")]

    operations = [migrations.RemoveField(model_name="liveevent", name="state")]
