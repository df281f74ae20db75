from django.db import migrations


def to_runs(apps, schema_editor):
    """What the next decision of a run begins with was with each of its events."""
    LiveEvent = apps.get_model("benchmarks", "LiveEvent")
    for run in apps.get_model("benchmarks", "LiveRun").objects.all().iterator():
        decided = LiveEvent.objects.filter(run=run, kind="decided").order_by("number").last()
        if decided is not None:
            run.state = decided.state
            run.save(update_fields=["state"])
    for event in LiveEvent.objects.exclude(requests=[]).defer("state").iterator():
        event.requests = [
            {**one, "pictures": [picture["time_s"] for picture in one["pictures"]]}
            for one in event.requests
        ]
        event.save(update_fields=["requests"])


def to_events(apps, schema_editor):
    LiveEvent = apps.get_model("benchmarks", "LiveEvent")
    for run in apps.get_model("benchmarks", "LiveRun").objects.exclude(state={}).iterator():
        decided = LiveEvent.objects.filter(run=run, kind="decided").order_by("number").last()
        if decided is not None:
            decided.state = run.state
            decided.save(update_fields=["state"])
    for event in LiveEvent.objects.exclude(requests=[]).defer("state").iterator():
        # The hashes are in the records of the calls alone.
        event.requests = [
            {**one, "pictures": [{"time_s": time_s} for time_s in one["pictures"]]}
            for one in event.requests
        ]
        event.save(update_fields=["requests"])


class Migration(migrations.Migration):
    dependencies = [("benchmarks", "0031_state_of_live_runs")]

    operations = [migrations.RunPython(to_runs, to_events)]
