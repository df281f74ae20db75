"""Every campaign becomes one round; its word for the guideline a version without a text."""

from django.db import migrations
from django.utils.timezone import now


def make_rounds(apps, schema_editor):
    Campaign, Version, Round, RatingRound, RoundRater, Trace, Assignment = (
        apps.get_model("annotation", name)
        for name in (
            "Campaign", "GuidelineVersion", "Round", "RatingRound", "RoundRater", "Trace",
            "Assignment",
        )
    )
    for campaign in Campaign.objects.order_by("pk"):
        campaign.state = "closed" if campaign.closed_at else campaign.phase
        campaign.save(update_fields=["state"])
        versions = {}

        def version_of(word):
            if word not in versions:
                versions[word] = Version.objects.create(
                    campaign=campaign, number=len(versions) + 1, name=word,
                    frozen_at=campaign.created_at,
                )
                Version.objects.filter(pk=versions[word].pk).update(created_at=campaign.created_at)
            return versions[word]

        made = Round.objects.create(
            campaign=campaign, number=1, phase=campaign.phase,
            guideline=version_of(campaign.guideline_version), overlap=campaign.overlap,
            seed=campaign.seed, opened_at=campaign.created_at, closed_at=campaign.closed_at,
        )
        Round.objects.filter(pk=made.pk).update(created_at=campaign.created_at)
        ratings = RatingRound.objects.create(round=made, rubric_version=campaign.rubric_version)
        ratings.traces.set(Trace.objects.filter(dataset__campaigns=campaign).values_list("pk", flat=True))
        people = campaign.raters.order_by("pk").values_list("rater_id", "joined_at")
        for rater, joined_at in people:
            member = RoundRater.objects.create(round=made, rater_id=rater)
            RoundRater.objects.filter(pk=member.pk).update(joined_at=joined_at)
        Assignment.objects.filter(campaign=campaign).update(round=made)
        for name in ("Rating", "RatingEvent"):
            rows = apps.get_model("annotation", name).objects.filter(assignment__campaign=campaign)
            words = rows.order_by().values_list("guideline_version", flat=True).distinct()
            for word in sorted(words):
                rows.filter(guideline_version=word).update(guideline=version_of(word))


def give_back(apps, schema_editor):
    Round, RatingRound, Assignment, Campaign = (
        apps.get_model("annotation", name)
        for name in ("Round", "RatingRound", "Assignment", "Campaign")
    )
    rubrics = dict(RatingRound.objects.values_list("round_id", "rubric_version"))
    for made in Round.objects.select_related("guideline").order_by("number"):
        # What only rounds can hold is lost: a campaign then has what its last round had.
        Campaign.objects.filter(pk=made.campaign_id).update(
            phase="pilot" if made.phase == "pilot" else "main", overlap=made.overlap,
            seed=made.seed, closed_at=made.closed_at, rubric_version=rubrics[made.pk],
            guideline_version=made.guideline.name,
        )
        Assignment.objects.filter(round=made).update(campaign=made.campaign_id)
    for name in ("Rating", "RatingEvent"):
        model = apps.get_model("annotation", name)
        for version in apps.get_model("annotation", "GuidelineVersion").objects.all():
            model.objects.filter(guideline=version).update(guideline_version=version.name)
        model.objects.filter(rated_at__isnull=True).update(rated_at=now())
        model.objects.update(guideline=None)
    Assignment.objects.update(round=None)
    Round.objects.all().delete()
    apps.get_model("annotation", "GuidelineVersion").objects.all().delete()


class Migration(migrations.Migration):
    dependencies = [("annotation", "0016_rounds")]

    operations = [migrations.RunPython(make_rounds, give_back)]
