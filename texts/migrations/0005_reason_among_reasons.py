from django.db import migrations


def move(apps, schema_editor):
    """The one reason of a verdict is the only one of its reasons."""
    given = apps.get_model("texts", "TextVerdict").objects.exclude(reason="")
    for reason in set(given.order_by().values_list("reason", flat=True)):
        given.filter(reason=reason).update(reasons=[reason])


def move_back(apps, schema_editor):
    """The first of the reasons stays; the others are lost."""
    verdicts = apps.get_model("texts", "TextVerdict").objects
    for key, reasons in verdicts.exclude(reasons=[]).values_list("pk", "reasons"):
        verdicts.filter(pk=key).update(reason=reasons[0])


class Migration(migrations.Migration):
    dependencies = [("texts", "0004_several_reasons")]

    operations = [migrations.RunPython(move, move_back)]
