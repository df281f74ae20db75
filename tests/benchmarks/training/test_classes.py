"""Classes of segments that are learnt fold by fold, from an item set to figures on a page."""

import statistics

import pytest
from django.core.exceptions import ValidationError
from django.urls import reverse
from threadpoolctl import threadpool_info

from benchmarks.engine.folds import FOLD, MEAN_OF_FOLDS
from benchmarks.engine.training import examples
from benchmarks.engine.training.recipes import KINDS, MLP, MLP_FOCAL
from benchmarks.models import FeatureSet
from benchmarks.services import training_work
from tests.benchmarks.made import figures_of, frozen_set
from tests.benchmarks.training.planted import folded_set, planted_classes, started, trained

# Beats of the work come from a thread of its own.
pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("media")]


@pytest.mark.parametrize("model", [MLP, MLP_FOCAL])
def test_planted_signal_is_found_in_folds_not_trained_on(model, sample, owner, owner_client):
    if KINDS[model].what_is_missing():
        pytest.skip(KINDS[model].what_is_missing())
    made = folded_set(sample, owner, segments="segments of a step")
    nothing = planted_classes(made, owner, name="Null", height=0)

    found = trained(made, [planted_classes(made, owner)], owner, model=model, epochs=51, seeds=2)
    null = trained(made, [nothing], owner, model=model, epochs=50, seeds=1)

    assert found.job.error == ""
    assert (found.job.done_count, found.job.total_count) == (408, 408)
    assert found.counts["read"] == 2 * made.item_count
    assert figures_of(found)["mistake_f1"][0] > 0.8
    # Whoever had seen these very segments would know them by heart.
    assert figures_of(null)["mistake_f1"][0] < 0.35
    figures = found.figures.filter(measure="mistake_f1", group=FOLD)
    by_fold = dict(figures.values_list("group_value", "value"))
    mean = by_fold.pop(MEAN_OF_FOLDS)
    assert sorted(by_fold) == ["0", "1", "2", "3"]
    assert mean == pytest.approx(statistics.mean(by_fold.values()))
    of_mean = figures.get(group_value=MEAN_OF_FOLDS)
    assert of_mean.spread is not None
    # Two folds have one recording: without it they have no figure, and so their mean has none.
    assert (of_mean.low, of_mean.reason != "") == (None, True)
    assert of_mean.item_count == made.item_count
    page = owner_client.get(reverse("assessment", args=[found.public_id])).content.decode()
    assert "mean of folds" in page
    assert "Seed 1, fold 3" in page
    page = owner_client.get(reverse("item-set", args=[made.public_id])).content.decode()
    assert "a model for each of 4 folds; the likeliest class; classes balanced" in page


def test_the_mean_of_folds_has_an_interval_where_each_has_several_recordings(sample, owner):
    made = folded_set(sample, owner, count=2)
    [rule] = made.assessments.filter(name="A segment of no step is a mistake")
    of_mean = rule.figures.get(measure="correct_f1", group=FOLD, group_value=MEAN_OF_FOLDS)

    assert of_mean.low < of_mean.value < of_mean.high


def test_words_of_a_fold_come_from_its_own_training_part(sample, owner, monkeypatch):
    """It is also trained in one thread: the number of threads would change the last digits."""
    made = folded_set(sample, owner)
    learnt, threads = [], set()

    def as_single_rows(train, part):
        learnt.append((train, part))
        pools = threadpool_info()
        threads.update(pool["num_threads"] for pool in pools if pool["user_api"] == "blas")
        return examples.as_single_rows(train, part)

    monkeypatch.setattr(training_work, "as_single_rows", as_single_rows)
    found = trained(made, [planted_classes(made, owner)], owner, model=MLP, epochs=1, seeds=1)

    assert found.job.error == ""
    # For each of the folds in turn: train, val and what is asked.
    assert len(learnt) == 4 * 3
    sizes = []
    for place in range(0, len(learnt), 3):
        (words, train), *others = learnt[place : place + 3]
        assert all(one is train for one in (words, *(words for words, _ in others)))
        sizes.append((len(train), *(len(part) for _, part in others)))
    assert all(sum(size) == made.item_count for size in sizes)
    assert sum(asked for _, _, asked in sizes) == made.item_count
    assert threads == {1}


def test_participant_on_true_segments_is_named_so(sample, owner):
    made = folded_set(sample, owner, task="mistake_detection")
    classes = folded_set(sample, owner)

    found = trained(made, [planted_classes(classes, owner)], owner, model=MLP, epochs=50, seeds=1)

    assert (found.job.error, found.name) == ("", "MLP on Planted (true segments)")
    assert found.counts["read"] == made.item_count
    baselines = made.assessments.filter(kind="baseline")
    others = [figures_of(row)["map"][0] for row in baselines if "Ceiling" not in row.name]
    assert figures_of(found)["map"][0] > max(others)
    values = {row.item_id: row.value["intervals"] for row in found.answers.all()}
    for item in made.items.all():
        spans = [(one["start_s"], one["end_s"]) for one in item.truth["intervals"]]
        assert [(one["start_s"], one["end_s"]) for one in values[item.pk]] == spans


def test_options_that_these_models_lack_are_refused_by_field(sample, owner, owner_client):
    made = folded_set(sample, owner)
    features = planted_classes(made, owner)
    whole = frozen_set(sample, owner, "mistake_classes")

    for changes, field, words in (
        ({"model": "V1"}, "model", "expected one of MLP, MLP-focal"),
        ({"preset": "code"}, "preset", "expected one of paper"),
        ({"beta": 1.0}, "beta", "It is 1; expected 0 or more, below 1"),
        ({"gamma": -1.0}, "gamma", "It is -1; expected 0 to 10"),
        ({"gamma": 2.0}, "gamma", "It is 2; MLP has none"),
    ):
        with pytest.raises(ValidationError) as caught:
            started(made, [features], owner, **{"model": MLP, **changes})
        assert words in " ".join(caught.value.message_dict[field])
    with pytest.raises(ValidationError, match="or with three folds or more"):
        started(whole, [features], owner, model=MLP)
    page = owner_client.get(reverse("item-set", args=[made.public_id])).content.decode()
    assert "Beta of class weights" in page
    assert "Score of a step" not in page
    assert FeatureSet.objects.count() == 1
    assert not made.assessments.filter(kind="trained").exists()
