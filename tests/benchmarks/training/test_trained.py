"""Models that are trained on features, from an item set to figures on a page."""

import statistics

import pytest
from django.urls import reverse

from benchmarks.engine.scoring import values_of
from benchmarks.selectors.assessments import answers_of, tallies_of, truth_of
from benchmarks.selectors.item_sets import task_of
from tests.benchmarks.made import figures_of
from tests.benchmarks.training.planted import divided_set, planted, trained

pytestmark = pytest.mark.django_db


def test_a_trained_model_finds_what_its_features_tell(sample, owner, owner_client):
    made = divided_set(sample, owner)
    features = planted(made, owner)

    found = trained(made, [features], owner, epochs=15)

    assert found.job.error == ""
    assert (found.job.done_count, found.job.total_count) == (45, 45)
    assert found.counts["read"] == 3 * made.item_count
    assert figures_of(found)["auc"][0] > 0.9
    tallies = tallies_of(found, task_of(made), answers_of(found, truth_of(made)))
    each = [values_of(tally)["f1"] for tally in tallies]
    assert len(set(each)) > 1
    f1 = found.figures.get(measure="f1", group="")
    assert f1.value == pytest.approx(statistics.mean(each))
    assert f1.spread == pytest.approx(statistics.stdev(each))
    page = owner_client.get(reverse("assessment", args=[found.public_id])).content.decode()
    assert "Answered after epoch" in page
    page = owner_client.get(reverse("item-set", args=[made.public_id])).content.decode()
    assert "V1, preset paper, 15 epochs at 0.001; trained on Planted" in page
    assert "Standard deviation over seeds: F1" in page
