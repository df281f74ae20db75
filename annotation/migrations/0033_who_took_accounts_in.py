import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

# The rows of the audit log that say who made an account, and who came by an invitation.
CREATE, JOIN, ADD = "user.create", "user.join", "campaign.add_raters"


def fill_in(apps, schema_editor):
    """Whose accounts there are, by the audit log; what it does not tell stays with administrators."""
    User = apps.get_model("annotation", "User")
    entries = apps.get_model("annotation", "AuditEntry").objects.order_by("pk")
    Campaign = apps.get_model("annotation", "Campaign")
    owners = dict(Campaign.objects.values_list("public_id", "owner"))
    people = set(User.objects.values_list("pk", flat=True))
    taken_in = {}
    for subject, actor in entries.filter(action=CREATE).values_list("subject", "actor"):
        taken_in[int(subject.removeprefix("user:"))] = actor
    joined = set(entries.filter(action=JOIN).values_list("actor", flat=True))
    # Who joins with a new account is taken into the campaign in the same transaction, by themselves.
    own = entries.filter(action=ADD, actor__in=joined).values_list("subject", "actor")
    for subject, person in own:
        taken_in.setdefault(person, owners.get(subject.removeprefix("campaign:")))
    changed = [
        User(pk=pk, taken_in_by_id=owner)
        for pk, owner in taken_in.items()
        if pk in people and owner in people
    ]
    User.objects.bulk_update(changed, ["taken_in_by"], batch_size=500)


class Migration(migrations.Migration):
    dependencies = [("annotation", "0032_first_submissions_of_segments")]

    operations = [
        migrations.AddField(
            model_name="user",
            name="taken_in_by",
            field=models.ForeignKey(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.SET_NULL,
                related_name="taken_in",
                to=settings.AUTH_USER_MODEL,
            ),
        ),
        migrations.RunPython(fill_in, migrations.RunPython.noop, elidable=True),
    ]
