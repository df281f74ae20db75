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
from segments.selectors.figures import round_figures
from tests.factories import UserFactory, VideoFactory


@pytest.fixture
def owner(db):
    return UserFactory(role=Role.RESEARCHER)


@pytest.fixture
def dataset(owner):
    target = ImportTarget(name="Sample", format="native", owner=owner)
    import_reading(load_corpus(), target=target, actor=owner)
    return Dataset.objects.get()


@pytest.fixture
def raters(db):
    return [UserFactory(username=name) for name in RATERS]


def test_a_newcomer_finds_an_audit_with_every_planned_answer(owner, dataset, raters):
    typed = [site.rate_audit(dataset, owner, raters) for _ in range(2)]

    campaign = Campaign.objects.get()
    made = campaign.rounds.get()
    assert (campaign.state, made.is_closed) == ("closed", True)
    assert typed[0] > 0 == typed[1]
    assert set(made.assignments.values_list("status", flat=True)) == {"submitted"}
    # Nobody rated before the round opened, or after it closed.
    moments = Rating.objects.values_list("rated_at", flat=True)
    assert made.opened_at < min(moments) < max(moments) < made.closed_at
    decided = made.cases.get(state="decided")
    said = decided.comments.get()
    answer = Rating.objects.get(
        event=decided.event, metric=decided.metric, assignment__rater=said.author
    )
    # Who doubted the correction is who answered so.
    assert (answer.value, decided.adjudicated.value) == ("I", "C")
    assert made.cases.filter(state="open").count() > 0
    assert made.screening_results.exists()


def test_a_newcomer_finds_an_audit_in_its_main_round(owner, dataset, raters):
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


def test_a_newcomer_finds_recordings_to_label_and_steps_to_audit(owner, dataset):
    people = [UserFactory(username=name) for name in ("annotator", *RATERS)]
    for row in [*dataset.takes.all(), *dataset.traces.all()]:
        row.video = VideoFactory(dataset=dataset, stem=row.video_stem, duration_s=40.0)
        row.save()

    for _ in range(2):
        site.begin_segments(dataset, owner, people[:2], people[2:])

    campaign = Campaign.objects.get()
    done, label, audit = campaign.rounds.order_by("number")
    assert (done.is_closed, label.is_open, audit.is_open) == (True, True, True)
    assert set(done.segmentations.values_list("status", flat=True)) == {"submitted"}
    figures = round_figures(done)
    assert (figures.compared, len(figures.people)) == (14, 2)
    # People agree as people do: not about everything, and far above chance.
    measured = {row.name: row.summary.value for row in reversed(figures.rows)}
    for name in ("tiou_strict", "time_kappa", "mistake_kappa"):
        assert 0.6 < measured[name] < 1
    assert (label.recordings.count(), audit.recordings.count()) == (14, 10)
    assert [made.segmentations.filter(person=people[0]).count() for made in (label, audit)] == [
        14, 5,
    ]  # fmt: skip
    assert not audit.recordings.filter(proposals=[]).exists()
