"""Models that are trained on features, from an item set to figures on a page."""

import statistics
from dataclasses import replace

import numpy as np
import pytest
from django.core.exceptions import ValidationError
from django.core.management import call_command
from django.urls import reverse

from benchmarks.engine.features.rows import rows_of
from benchmarks.engine.registry import tasks
from benchmarks.engine.scoring import values_of
from benchmarks.engine.training.course import Course
from benchmarks.engine.training.recipes import KINDS
from benchmarks.selectors.assessments import answers_of, tallies_of
from benchmarks.selectors.item_sets import task_of
from benchmarks.selectors.stored_items import StoredItems
from benchmarks.services.assessment_work import work_on_assessments
from benchmarks.services.assessments import cancel_assessment, resume_assessment
from benchmarks.services.training_work import folder_of
from tests.benchmarks.asked import answers_by_key, read_again
from tests.benchmarks.made import figures_of, frozen_set
from tests.benchmarks.training.planted import divided_set, planted, started, trained

# Beats of the work come from a thread of its own.
pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("media")]


def test_a_trained_model_finds_what_its_features_tell(sample, owner, owner_client):
    made = divided_set(sample, owner)
    features = planted(made, owner)

    found = trained(made, [features], owner, epochs=10)

    assert found.job.error == ""
    assert (found.job.done_count, found.job.total_count) == (30, 30)
    assert found.counts["read"] == 3 * made.item_count
    assert figures_of(found)["auc"][0] > 0.9
    tallies = tallies_of(found, task_of(made), answers_of(found))
    each = [values_of(tally)["f1"] for tally in tallies]
    assert len(set(each)) > 1
    f1 = found.figures.get(measure="f1", group="")
    assert f1.value == pytest.approx(statistics.mean(each))
    assert f1.spread == pytest.approx(statistics.stdev(each))
    page = owner_client.get(reverse("assessment", args=[found.public_id])).content.decode()
    assert "Answered after epoch" in page
    page = owner_client.get(reverse("item-set", args=[made.public_id])).content.decode()
    assert "V1, preset paper, 10 epochs at 0.001; trained on Planted" in page
    assert "Standard deviation over seeds: F1" in page


def test_steps_named_by_letters_are_distinguished(sample, owner):
    items = StoredItems(divided_set(sample, owner).items.all())
    right = {"yes": "A", "no": "B"}
    lettered = [
        replace(item, payload={**item.payload, "step": right[item.truth["answer"]]})
        for item in items
    ]

    found = tasks()["error_recognition"].baselines(lettered, np.random.default_rng(0))

    [words] = [one for one in found if one.name.startswith("Words of the step")]
    assert [value["answer"] for value in words.values] == [one.truth["answer"] for one in items]


def test_steps_without_features_are_left_out_and_listed(sample, owner, owner_client):
    made = divided_set(sample, owner)
    uid = made.test_items.first().payload["recording_id"]
    other = made.examples.filter(part="train").first().payload["recording_id"]
    lost = [row.pk for row in made.test_items.all() if row.payload["recording_id"] == uid]

    found = trained(made, [planted(made, owner, without=(uid, other))], owner, seeds=1)

    missing = found.answers.filter(status="missing")
    assert set(missing.values_list("item_id", flat=True)) == set(lost)
    assert set(missing.values_list("reason", flat=True)) == {"its recording has no features"}
    assert (found.counts["missing"], found.counts["read"]) == (
        len(lost), made.item_count - len(lost),
    )  # fmt: skip
    assert found.figures.get(measure="f1", group="").spread is None
    page = owner_client.get(reverse("assessment", args=[found.public_id])).content.decode()
    table = page[page.index('id="left-out"') :]
    assert uid in table
    assert other in table


def test_a_cancelled_training_goes_on_to_the_same_figures(sample, owner, monkeypatch):
    made = divided_set(sample, owner)
    features = planted(made, owner)
    alone = trained(made, [features], owner, epochs=4, seeds=2)
    cancelled, job_ids = started(made, [features], owner, epochs=4, seeds=2)
    step, steps = Course.step, []

    def step_and_cancel(course):
        steps.append(course)
        if len(steps) == 3:
            cancel_assessment(assessment=cancelled, actor=owner)
        return step(course)

    monkeypatch.setattr(Course, "step", step_and_cancel)
    work_on_assessments(job_ids=job_ids)
    halfway = read_again(cancelled)
    [kept] = [row.epochs for row in halfway.seeds.all()]
    resume_assessment(assessment=halfway, actor=owner)
    work_on_assessments(job_ids=job_ids)
    found = read_again(cancelled)

    assert (halfway.job.status, len(kept), halfway.frozen_at) == ("cancelled", 2, None)
    # The epoch that was under way is trained again.
    assert len(steps) == 3 + 2 * 4 - 2
    assert figures_of(found) == figures_of(alone)
    assert answers_by_key(found) == answers_by_key(alone)
    assert not folder_of(found).exists()


REFUSED = {
    "model": ({"model": "V9"}, "expected one of V1, V2, V3"),
    "preset": ({"preset": "mine"}, "expected one of paper, code"),
    "seeds": ({"seeds": 0}, "expected 1 to 20"),
    "epochs": ({"epochs": 10_001}, "expected 1 to 10000"),
    "learning_rate": ({"learning_rate": 2.0}, "It is 2; expected above 0, at most 1"),
    "step_score": ({"step_score": "median"}, "expected one of mean, majority"),
}


def test_untrainable_requests_are_refused_by_field(sample, owner, outsider):
    made = divided_set(sample, owner, is_shared=True)
    features = [planted(made, owner), planted(made, owner, name="Slow", seconds=2.0)]

    for field, (changes, words) in REFUSED.items():
        with pytest.raises(ValidationError) as caught:
            started(made, features[:1], owner, **changes)
        assert words in " ".join(caught.value.message_dict[field])
    for given, actor, words in (
        ([], owner, "There are 0; V1 takes one feature set"),
        (features, owner, "There are 2; V1 takes one feature set"),
        (features[:1], outsider, f"You have no features '{features[0].public_id}'"),
    ):
        with pytest.raises(ValidationError, match=words):
            started(made, given, actor)
    with pytest.raises(ValidationError, match="no items of the part train and val"):
        started(frozen_set(sample, owner, "error_recognition"), features[:1], owner)
    with pytest.raises(ValidationError, match="nothing that a model could be trained on"):
        started(frozen_set(sample, owner, "step_mistakes"), features[:1], owner)
    assert not made.assessments.filter(kind="trained").exists()


def test_deleted_features_stop_a_training_with_a_message(sample, owner):
    made = divided_set(sample, owner)
    features = planted(made, owner)
    assessment, job_ids = started(made, [features], owner)
    features.delete()

    work_on_assessments(job_ids=job_ids)

    found = read_again(assessment)
    assert found.job.status == "failed"
    assert found.job.error == "It was stopped: the features 'Planted' were deleted"


def test_page_api_and_command_train_alike(sample, owner, owner_client, capsys):
    made = divided_set(sample, owner)
    features = planted(made, owner)
    asked = {"model": "V1", "features": [features.public_id], "epochs": 2, "seeds": 2}
    form = {f"train-{name}": value for name, value in asked.items() if name != "features"}
    form |= {
        "train-features_1": features.public_id,
        "train-preset": "paper",
        "train-step_score": "mean",
    }

    page = owner_client.get(reverse("item-set", args=[made.public_id])).content.decode()
    refused = owner_client.post(
        reverse("item-set-train", args=[made.public_id]), {**form, "train-seeds": "0"}
    )
    sent = owner_client.post(reverse("item-set-train", args=[made.public_id]), form)
    over_api = owner_client.post(
        reverse("api-item-set-train", args=[made.public_id]), asked, "application/json"
    )
    call_command("benchmark", "train", made.public_id, "V1", "Planted", "--epochs=2", "--seeds=2")

    assert "Train it" in page
    assert "2 more models need PyTorch" in page or not KINDS["V2"].what_is_missing()
    assert (refused.status_code, sent.status_code, over_api.status_code) == (400, 302, 201)
    first, second, third = made.assessments.filter(kind="trained").order_by("pk")
    work_on_assessments(job_ids=[first.job_id, second.job_id])
    assert first.settings == second.settings == third.settings
    assert figures_of(first) == figures_of(second) == figures_of(third) != {}
    assert "done" in capsys.readouterr().out


def test_early_recognition_sees_half_the_rows_and_learns_more_slowly(sample, owner):
    whole = divided_set(sample, owner)
    early = divided_set(
        sample, owner, name="Early", settings={"shown": "its first half", "label_rule": "any"}
    )
    features = planted(whole, owner)

    rates = [
        started(made, [features], owner)[0].settings["recipe"]["learning_rate"]
        for made in (whole, early)
    ]
    found = trained(early, [features], owner, epochs=1, seeds=1)

    rows = [
        sum(len(rows_of(item.payload["pieces"], 1.0, 10**6).index) // 2 for item in part)
        for part in (early.examples.filter(part="train"), early.test_items)
    ]
    told = found.job.result["parts"]
    assert rates == [1e-3, 1e-4]
    assert [told["train"]["rows"], told["test"]["rows"]] == rows
