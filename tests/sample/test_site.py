"""The campaign of the sample site that has walked through the protocol, without its videos."""

import pytest

from annotation.analytics.raters.planner import FEWEST_TRACES
from annotation.engine.campaigns.guideline_difference import changed_entries
from annotation.models import Campaign, Dataset, Rating, Role
from annotation.selectors.ratings.desk import cases_to_discuss
from annotation.services.corpus.imports import ImportTarget, import_reading
from sample import site
from sample.corpus import load_corpus
from sample.ratings import RATERS
from tests.factories import UserFactory, VideoFactory


@pytest.mark.django_db
def test_a_newcomer_finds_an_audit_in_its_main_round():
    owner = UserFactory(role=Role.RESEARCHER)
    raters = [UserFactory(username=name) for name in RATERS]
    target = ImportTarget(name="Sample", format="native", owner=owner)
    import_reading(load_corpus(), target=target, actor=owner)
    dataset = Dataset.objects.get()

    for _ in range(2):
        site.walk_protocol(dataset, owner, raters)

    campaign = Campaign.objects.get()
    pilot, main = campaign.rounds.order_by("number")
    assert (campaign.state, pilot.is_closed, main.is_open) == ("main", True, True)
    assert pilot.cases.exclude(cause="").get().comments.count() == 1
    # One question is changed, with its advice; that of corrections stays about the repair.
    old, new = pilot.guideline.text, main.guideline.text
    changed = [(item.metric, item.subject) for item in changed_entries(old, new)]
    assert set(changed) == {("human_plausibility", "mistake")}
    assert new["human_plausibility"]["mistake"]["question"] == site.NEW_QUESTION
    # Every rater finds cases to discuss, and a plan of the next round finds traces enough.
    assert [cases_to_discuss(rater).get(pilot.pk, 0) > 0 for rater in raters] == [True] * 3
    assert pilot.assignments.values("trace").distinct().count() >= FEWEST_TRACES
    rated = set(pilot.assignments.values_list("trace", flat=True))
    assert rated.isdisjoint(main.assignments.values_list("trace", flat=True))
    assert set(Rating.objects.values_list("assignment__round", flat=True)) == {pilot.pk}
    assert campaign.protocol_files.get().moment == "before_main"


@pytest.mark.django_db
def test_a_newcomer_finds_recordings_to_label_and_steps_to_audit():
    owner = UserFactory(role=Role.RESEARCHER)
    people = [UserFactory(username=name) for name in ("annotator", RATERS[0])]
    target = ImportTarget(name="Sample", format="native", owner=owner)
    import_reading(load_corpus(), target=target, actor=owner)
    dataset = Dataset.objects.get()
    for row in [*dataset.takes.all(), *dataset.traces.all()]:
        row.video = VideoFactory(dataset=dataset, stem=row.video_stem)
        row.save()

    for _ in range(2):
        site.begin_segments(dataset, owner, people)

    campaign = Campaign.objects.get()
    label, audit = campaign.rounds.order_by("number")
    assert (label.recordings.count(), audit.recordings.count()) == (14, 10)
    assert [made.segmentations.filter(person=people[0]).count() for made in (label, audit)] == [
        14, 5,
    ]  # fmt: skip
    assert not audit.recordings.filter(proposals=[]).exists()
