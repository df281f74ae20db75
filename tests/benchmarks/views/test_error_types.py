"""The pages of sets that ask for classes of mistakes."""

import re

import pytest
from django.core.exceptions import ValidationError

from annotation.models import TraceStep
from benchmarks.engine.tasks.error_types import rows_of
from benchmarks.models import Figure
from benchmarks.selectors.assessments import answers_of
from benchmarks.selectors.reports import discordance_of
from tests.benchmarks.made import frozen_set, made_set


def test_table_has_both_countings_nine_constants_and_the_papers_rows(sample, owner, owner_client):
    made = frozen_set(sample, owner, "error_types")

    page = owner_client.get(f"/benchmarks/sets/{made.public_id}/").content.decode()

    assert made.assessments.filter(kind="baseline").count() == 9
    assert "Recall (published)" in page
    assert "Typed recall" in page
    assert "the paper prints accuracy 31.7" in page
    baseline = made.assessments.get(name="Always “correct”")
    shown = owner_client.get(f"/benchmarks/assessments/{baseline.public_id}/").content.decode()
    for caption in ("Counts", "Each class", "Confusions", "corrections taken as correct"):
        assert caption in shown
    found = Figure.objects.filter(assessment=baseline, measure="specificity")
    assert found.get(group="").value == 1
    assert found.filter(group="class").exists()


def test_comparison_says_on_how_many_items_only_one_is_right(sample, owner, owner_client):
    made = frozen_set(sample, owner, "error_types")
    first, second = (made.assessments.get(name=f"Always “{c}”") for c in ("correct", "Others"))
    right = made.items.filter(truth__answer="correct").count()

    address = f"/benchmarks/sets/{made.public_id}/compare/"
    shown = owner_client.get(f"{address}?first={first.public_id}&second={second.public_id}")

    words = re.sub(r"\s+", " ", shown.content.decode())
    assert f"Only Always “correct” is right about {right} item" in words
    assert "only Always “Others” about 0: exact McNemar test, p 0.0000." in words


def test_empty_reply_is_no_claim_and_one_that_cannot_be_read_is(sample, owner):
    made = frozen_set(sample, owner, "error_types")
    baseline = made.assessments.get(name="Always “correct”")
    for raw, answer in zip(("", "  ", "No idea."), baseline.answers.order_by("pk"), strict=False):
        answer.status, answer.raw, answer.value = "malformed", raw, None
        answer.save()

    sheet = answers_of(baseline)

    assert [one.is_empty for one in sheet.answers if one.value is None].count(True) == 2
    choices = [choice for _, choice in rows_of(sheet.items, sheet.answers)]
    assert (choices.count(None), choices.count("unparsed")) == (2, 1)


def test_letters_and_names_are_different_sets_and_their_figures_stand_apart(sample, owner):
    names = made_set(sample, owner, "error_types")
    letters = made_set(
        sample, owner, "error_types", name="Letters",
        settings={"answers": "letters, in an order of their own for each step"},
    )  # fmt: skip

    assert names.content_hash != letters.content_hash
    assert not {*names.items.values_list("key")} & {*letters.items.values_list("key")}


def test_type_that_no_class_stands_for_stops_the_making_and_is_named(sample, owner):
    row = TraceStep.objects.filter(trace__dataset=sample, mod="e").first()
    row.event.proposed_type = ""
    row.event.save()

    with pytest.raises(ValidationError, match=rf"recording {row.trace.uid}, row {row.index + 1}:"):
        made_set(sample, owner, "error_types")


def test_the_exact_test_of_two_participants_over_the_api(sample, owner, owner_client):
    made = frozen_set(sample, owner, "error_types")
    first, second = made.assessments.order_by("pk")[:2]

    found = owner_client.get(
        f"/api/v1/assessments/{first.public_id}/compare/{second.public_id}/right/"
    )

    expected = discordance_of(first, second)
    assert found.json() == {
        "only_first": expected.only_first,
        "only_second": expected.only_second,
        "p": pytest.approx(expected.p),
    }
    texts = frozen_set(sample, owner, "describe_mistake")
    pair = [one.public_id for one in texts.assessments.order_by("pk")[:2]]
    refused = owner_client.get(f"/api/v1/assessments/{pair[0]}/compare/{pair[1]}/right/")
    assert (refused.status_code, "right or wrong" in refused.json()["detail"]) == (409, True)
