"""Item sets of several data sets: parts, figures, and whom they are hidden from."""

from io import StringIO

import pytest
from django.core.exceptions import ValidationError
from django.core.management import call_command

from annotation.models import Dataset, Role
from annotation.services.corpus.datasets import delete_dataset
from annotation.services.corpus.imports import ImportTarget, import_reading
from benchmarks.engine.division import Division
from benchmarks.models import ItemSet
from benchmarks.selectors.assessments import get_assessment_for_user
from benchmarks.selectors.item_sets import may_see_truth, visible_item_sets
from benchmarks.selectors.tables import groups_of, table_of
from benchmarks.services.answering import start_answering
from benchmarks.services.item_sets import OneOfSources
from sample.corpus import load_corpus
from tests.benchmarks.made import as_lines, baseline_values, figures_of, frozen, made_set, uploaded
from tests.factories import CampaignFactory, CampaignRaterFactory, UserFactory

pytestmark = pytest.mark.django_db


@pytest.fixture
def second(owner):
    """Return the sample corpus a second time, under another name."""
    target = ImportTarget(name="Elsewhere", format="native", owner=owner, is_shared=False)
    import_reading(load_corpus(), target=target, actor=owner)
    return Dataset.objects.get(name="Elsewhere")


def mixed_set(datasets, owner, task="step_mistakes", parts=("", "", ""), **changes):
    sources = [OneOfSources(one.public_id, part) for one, part in zip(datasets, parts)]  # noqa: B905
    return made_set(None, owner, task, sources=sources, **changes)


def test_figures_are_pooled_by_data_set_and_their_mean(sample, second, owner):
    alone = made_set(sample, owner)
    mixed = frozen(mixed_set([sample, second], owner), owner)

    assert mixed.item_count == 2 * alone.item_count
    assert (mixed.dataset, mixed.source) == (None, "Everyday and Elsewhere")
    assert groups_of(mixed)["data set"] == ["Elsewhere", "Everyday", "mean of data sets"]
    # Right of the one data set, and nothing of the other.
    right = {
        item.key: {
            "answer": item.truth["answer"] if item.groups["data set"] == "Everyday" else "no"
        }
        for item in mixed.items.all()
    }
    done = uploaded(mixed, owner, as_lines(right), "answers.jsonl")
    by_value = {
        row.group_value: row.value
        for row in done.figures.filter(group="data set", measure="accuracy")
    }
    pooled = figures_of(done)["accuracy"][0]
    assert by_value["Everyday"] == 1 > by_value["Elsewhere"]
    assert by_value["mean of data sets"] == pytest.approx((1 + by_value["Elsewhere"]) / 2)
    assert pooled == pytest.approx(by_value["mean of data sets"])
    named = table_of(mixed, group="data set", group_value="mean of data sets")
    assert "mean of data sets" in named.title


def test_one_data_set_per_part_and_what_the_parts_share(sample, second, owner):
    made = mixed_set([sample, second], owner, parts=("test", "train"))

    parts = {(item.groups["data set"], item.part) for item in made.items.all()}
    assert parts == {("Everyday", "test"), ("Elsewhere", "train")}
    assert made.item_count == made.items.count() / 2
    kinds = {leak["kind"] for leak in made.leaks}
    # Recordings are not compared by name: two data sets may both have a recording "1".
    assert {"procedure", "take", "text"} <= kinds
    assert "recording" not in kinds


def test_a_mixed_set_is_divided_by_whole_recordings_of_each(sample, second, owner):
    made = mixed_set([sample, second], owner, division=Division("recording", (0.5, 0.0, 0.5)))

    by_recording = {}
    for item in made.items.all():
        by_recording.setdefault(item.source_recording, set()).add(item.part)
    assert all(len(parts) == 1 for parts in by_recording.values())
    assert {name.partition("/")[0] for name in by_recording} == {"1", "2"}


@pytest.mark.parametrize(
    ("parts", "changes", "words"),
    [
        (("test", ""), {}, "a part for all of them"),
        (("train", "val"), {}, "None is the part test"),
        (("dev", "test"), {}, "The parts are dev"),
        (("test", "train"), {"division": Division("take", (0.6, 0.2, 0.2))}, "one of the two"),
        (("", ""), {"source": "x"}, "one source and several"),
    ],
)
def test_what_does_not_go_together_is_refused(sample, second, owner, parts, changes, words):
    with pytest.raises(ValidationError, match=words):
        mixed_set([sample, second], owner, parts=parts, **changes)
    assert not ItemSet.objects.exists()


def test_a_data_set_of_another_and_one_that_is_there_twice_are_refused(sample, second, owner):
    other = UserFactory(role=Role.RESEARCHER)
    with pytest.raises(ValidationError, match="You have no dataset"):
        mixed_set([sample], other)
    with pytest.raises(ValidationError, match="there twice"):
        mixed_set([sample, sample], owner)


def test_raters_of_any_of_its_data_sets_do_not_see_a_set(sample, second, owner):
    made = frozen(mixed_set([sample, second], owner, is_shared=True), owner)
    own = start_answering(item_set=made, person=owner, actor=owner)
    campaign = CampaignFactory()
    campaign.datasets.add(second)
    CampaignRaterFactory(campaign=campaign, rater=owner)

    assert not visible_item_sets(owner).exists()
    with pytest.raises(Exception, match="No Assessment"):
        get_assessment_for_user(owner, own.public_id)
    campaign.state = "closed"
    campaign.save()
    assert list(visible_item_sets(owner)) == [made]
    assert get_assessment_for_user(owner, own.public_id) == own


def test_the_truth_is_for_who_may_read_all_of_the_data_sets(sample, second, owner):
    other = UserFactory(role=Role.RESEARCHER)
    made = frozen(mixed_set([sample, second], owner, is_shared=True), owner)

    assert may_see_truth(owner, made)
    Dataset.objects.filter(pk=sample.pk).update(is_shared=True)
    assert not may_see_truth(other, made)
    Dataset.objects.filter(pk=second.pk).update(is_shared=True)
    assert may_see_truth(other, made)
    delete_dataset(dataset=sample, actor=owner)
    assert not may_see_truth(other, made)


def test_over_the_page_the_api_and_the_command(sample, second, owner, owner_client):
    page = owner_client.get("/benchmarks/new/step_mistakes/").content.decode()
    assert "Mixed with" in page
    form = {"name": "By page", "source": sample.public_id, "train": second.public_id, "seed": 0}
    settings = {"setting_" + one: value for one, value in made_set(sample, owner).settings.items()}
    owner_client.post("/benchmarks/new/step_mistakes/", form | settings)
    made = ItemSet.objects.get(name="By page")
    assert [(row.name, row.part) for row in made.sources.all()] == [
        ("Everyday", "test"),
        ("Elsewhere", "train"),
    ]
    body = {"name": "By API", "task": "step_mistakes"}
    body["sources"] = [{"source": sample.public_id}, {"source": second.public_id}]
    answer = owner_client.post("/api/v1/item-sets/", body, content_type="application/json")
    assert answer.status_code == 201
    assert [row["name"] for row in answer.json()["sources"]] == ["Everyday", "Elsewhere"]
    call_command(
        "benchmark", "make", "step_mistakes", "Everyday", "--with", "Elsewhere", "--name",
        "By command", stdout=StringIO(),
    )  # fmt: skip
    assert ItemSet.objects.get(name="By command").sources.count() == 2


def test_the_only_value_of_a_set_has_no_mean(step_set):
    assert groups_of(step_set)["data set"] == ["Everyday"]
    assert baseline_values(step_set)
