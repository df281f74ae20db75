"""What a model gets to read of a closed round, and who may make an item set from it."""

import json
from io import StringIO

import pytest
from django.core.exceptions import ValidationError
from django.core.management import CommandError, call_command
from django.http import Http404

from annotation.engine.rubric.rubric import Metric
from annotation.models import Assignment, Campaign, Dataset, Rating, Role
from annotation.selectors.corpus.blinding import HiddenWhileRatingError
from annotation.services.corpus.imports import ImportTarget, import_reading
from benchmarks.engine.division import Division
from benchmarks.engine.tasks.model_as_rater import TASK
from benchmarks.models import ItemSet
from benchmarks.selectors.item_sets import get_item_set_for_user, may_see_truth
from benchmarks.selectors.material_round import round_choices, round_source
from sample import site
from sample.corpus import load_corpus
from sample.ratings import RATERS
from tests.benchmarks.made import as_csv, baseline_values, frozen_set, made_set, uploaded
from tests.factories import CampaignRaterFactory, UserFactory

pytestmark = pytest.mark.django_db


@pytest.fixture
def owner():
    return UserFactory(role=Role.RESEARCHER)


@pytest.fixture
def campaign(owner):
    """A campaign in its main round, its pilot closed."""
    target = ImportTarget(name="Sample", format="native", owner=owner)
    import_reading(load_corpus(), target=target, actor=owner)
    people = [UserFactory(username=name) for name in RATERS]
    site.walk_protocol(Dataset.objects.get(), owner, people)
    return Campaign.objects.get()


@pytest.fixture
def source_id(campaign):
    return f"{campaign.rounds.get(number=1).public_id}:{Dataset.objects.get().public_id}"


def items_of(source):
    return list(TASK.items(source.material, {"calibration_share": 0.5}, 0))


def test_closed_rounds_are_offered_and_open_ones_of_ones_own(owner, campaign, source_id):
    closed = (source_id, "From pilot to paper, round 1 (pilot): Sample")
    main, dataset = campaign.rounds.get(number=2), source_id.partition(":")[2]
    words = "From pilot to paper, round 2 (main): Sample, still open: to sort its queues"
    assert round_choices(owner) == [closed, (f"{main.public_id}:{dataset}", words)]

    Campaign.objects.update(is_shared=True)
    Dataset.objects.update(is_shared=True)
    assert round_choices(UserFactory(role=Role.RESEARCHER)) == [closed]


def test_every_answer_of_people_is_there_under_a_number(owner, source_id):
    items = items_of(round_source(owner, source_id))

    text = [metric for metric in Metric if "video" not in metric]
    stored = Rating.objects.filter(event__isnull=False, metric__in=text).exclude(value="")
    assert sum(len(item.truth["people"]) for item in items) == stored.count() > 100
    assert {who for item in items for who in item.truth["people"]} == {
        f"P{number}" for number in range(1, len(RATERS) + 1)
    }


def test_model_reads_the_rows_of_the_audit_page(owner, source_id):
    item = items_of(round_source(owner, source_id))[0]

    sheet = item.payload["sheet"]
    assert [row[0].partition(".")[0] for row in sheet if row[0][:1] not in "("][:2] == ["1", "2"]
    assert item.payload["event"] in {mark for *_, mark in sheet}


def test_material_reveals_no_planned_type_source_or_person(owner, source_id):
    names = [*RATERS, "hand-written sample", "sample-", "E01", "proposed"]
    for item in items_of(round_source(owner, source_id)):
        told = json.dumps([item.payload, item.question, item.choices])
        assert not [name for name in names if name in told]


def test_outsiders_get_404_and_raters_a_reason(owner, campaign, source_id):
    outsider = UserFactory(role=Role.RESEARCHER)
    with pytest.raises(Http404):
        round_source(outsider, source_id)
    assert round_choices(outsider) == []

    CampaignRaterFactory(campaign=campaign, rater=owner)

    assert round_choices(owner) == []
    with pytest.raises((Http404, HiddenWhileRatingError)):
        round_source(owner, source_id)


def test_open_round_is_only_for_its_owner(owner, campaign, source_id):
    main = campaign.rounds.get(number=2)
    open_id = source_id.replace(source_id.partition(":")[0], main.public_id)
    Campaign.objects.update(is_shared=True)
    Dataset.objects.update(is_shared=True)

    assert items_of(round_source(owner, open_id))[0].truth["people"] == {}
    with pytest.raises(Http404):
        round_source(UserFactory(role=Role.RESEARCHER), open_id)


def test_agreement_between_people_is_the_same_bytes_with_and_without_a_model(
    owner, campaign, source_id
):
    def report():
        said = StringIO()
        call_command("agreement", campaign=campaign.name, dataset="Sample", json=True, stdout=said)
        return said.getvalue()

    before = report()
    item_set = frozen_set(None, owner, "model_as_rater", source=source_id)
    values = baseline_values(item_set, 1)
    model = uploaded(item_set, owner, as_csv(item_set, values), name="A model")

    assert model.figures.filter(measure="alpha_mean").exists()
    assert report() == before
    assert len(before) > 1000


def test_peoples_answers_are_only_for_the_owner_of_the_set(owner, source_id):
    Dataset.objects.update(is_shared=True)
    item_set = frozen_set(None, owner, "model_as_rater", source=source_id, is_shared=True)
    other = UserFactory(role=Role.RESEARCHER)

    assert get_item_set_for_user(other, item_set.public_id) == item_set
    assert may_see_truth(owner, item_set)
    assert not may_see_truth(other, item_set)
    with pytest.raises(ValidationError, match="gives no examples"):
        made_set(
            None, owner, "model_as_rater", source=source_id,
            division=Division("take", (0.5, 0.2, 0.3)),
        )  # fmt: skip


def test_command_takes_the_name_of_a_campaign_and_lists_what_there_is(campaign):
    def make(*words):
        said = StringIO()
        call_command("benchmark", "make", "model_as_rater", *words, name="Rated", stdout=said)
        return said.getvalue()

    pilot = "From pilot to paper, round 1 (pilot): Sample"
    main = "From pilot to paper, round 2 (main): Sample, still open: to sort its queues"
    with pytest.raises(CommandError) as none:
        make("Sample audit")
    with pytest.raises(CommandError) as several:
        make(campaign.name)
    said = make(campaign.name, "--round=1", "--dataset=Sample")

    assert str(none.value).splitlines() == [
        "There is no such round of 'Sample audit'. There are, by campaign:",
        f"  {pilot}",
        f"  {main}",
    ]
    words = f"2 rounds fit {campaign.name!r}; choose one with --round and --dataset:"
    assert str(several.value).splitlines() == [words, f"  {pilot}", f"  {main}"]
    made = ItemSet.objects.get()
    assert said.startswith(f"{made.public_id} {made}: {made.item_count} items")
    assert made.source == "From pilot to paper, round 1 of Sample"
    Assignment.objects.all().delete()
    with pytest.raises(CommandError, match="no round of ratings has begun"):
        make(campaign.name)
