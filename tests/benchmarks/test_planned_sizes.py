"""How many recordings a narrower interval takes: engine, page and command."""

import csv
import io
import math

import numpy as np
import pytest
from django.core.management import CommandError, call_command
from django.urls import reverse

from benchmarks.engine.planned_sizes import (
    Assumed,
    PlannedSize,
    Z,
    assumed_recordings,
    design_effect,
    planned_size,
    recording_correlation,
)
from benchmarks.models import Figure
from benchmarks.selectors.planned_sizes import items_per_recording
from tests.benchmarks.made import as_csv, baseline_values, uploaded


def test_interval_half_as_wide_takes_four_times_the_recordings():
    found = planned_size(low=0.4, high=0.6, recordings=25, items=500, width=0.1)

    assert found == PlannedSize(width=0.1, recordings=100, items=2000)


def test_items_that_are_independent_have_a_design_effect_of_one():
    half = Z * (0.3 * 0.7 / 400) ** 0.5

    effect = design_effect(share=0.3, low=0.3 - half, high=0.3 + half, items=400)

    assert effect == pytest.approx(1)


def test_items_that_say_the_same_in_a_recording_have_as_many_as_there_are():
    # 40 recordings of ten items that are all right or all wrong: as 40 items.
    half = Z * (0.5 * 0.5 / 40) ** 0.5

    assert design_effect(
        share=0.5, low=0.5 - half, high=0.5 + half, items=400
    ) == pytest.approx(10)  # fmt: skip


def test_share_of_all_or_none_has_no_effect_and_no_width_is_refused():
    assert design_effect(share=1.0, low=0.9, high=1.0, items=10) is None
    with pytest.raises(ValueError, match="width is 0; expected more than 0"):
        planned_size(low=0.1, high=0.2, recordings=3, items=9, width=0)


@pytest.fixture
def assessment(step_set, owner):
    made = uploaded(step_set, owner, as_csv(step_set, baseline_values(step_set)))
    made.figures.all().delete()
    Figure.objects.create(
        assessment=made, measure="accuracy", value=0.6, low=0.5, high=0.7, method="percentile",
        item_count=600, recording_count=30,
    )  # fmt: skip
    Figure.objects.create(assessment=made, measure="f1", item_count=600, recording_count=30)
    return made


@pytest.mark.django_db
def test_page_and_command_say_the_same(assessment, owner_client, capsys):
    call_command("benchmark", "plan", assessment.public_id, "--width", "0.1", "--form", "csv")
    [row] = csv.DictReader(io.StringIO(capsys.readouterr().out))
    page = owner_client.get(reverse("assessment", args=[assessment.public_id])).content.decode()

    assert (row["recordings_0.1"], row["items_0.1"]) == ("120", "2400")
    assert round(float(row["design_effect"]), 2) == 6.51
    assert "How many recordings a narrower interval takes" in page
    for number in (120, 2400, "6.51", 480):
        assert f'<td class="number">{number}</td>' in page


@pytest.mark.django_db
def test_figures_without_an_interval_say_nothing(assessment, owner_client):
    assessment.figures.update(low=None, high=None)

    page = owner_client.get(reverse("assessment", args=[assessment.public_id])).content.decode()

    assert "narrower interval" not in page
    with pytest.raises(CommandError, match="no figure with an interval"):
        call_command("benchmark", "plan", assessment.public_id)
    with pytest.raises(CommandError, match="--width is 0"):
        call_command("benchmark", "plan", assessment.public_id, "--width", "0")
    with pytest.raises(CommandError, match="there is no assessment 'x'"):
        call_command("benchmark", "plan", "x")


def test_one_rater_without_correlation_takes_as_many_items_as_independent_ones():
    found = assumed_recordings(Assumed(0.5, 0), items_per_recording=1, width=0.2)

    assert found == math.ceil(0.25 * (2 * Z / 0.2) ** 2) == 97


def test_an_assumption_with_the_correlation_of_a_design_effect_takes_the_same():
    correlation = recording_correlation(effect=6.51, items_per_recording=20)

    found = assumed_recordings(Assumed(0.6, correlation), items_per_recording=20, width=0.1)

    assert found == pytest.approx(
        planned_size(low=0.5, high=0.7, recordings=30, items=600, width=0.1).recordings, abs=1
    )


@pytest.mark.parametrize(("raters", "spread"), [(1, 0.0), (3, 0.3)])
def test_the_planned_width_is_that_of_simulated_answers(raters, spread):
    # Right or wrong by the sign of a sum of normal parts, whose correlations are about these.
    rng = np.random.default_rng(5)
    recordings, items, draws = 40, 6, 4000
    parts = (
        rng.normal(size=(draws, recordings, 1, 1)) * 0.5,
        rng.normal(size=(draws, recordings, items, 1)) * 0.5,
        rng.normal(size=(draws, 1, 1, raters)) * spread,
        rng.normal(size=(draws, recordings, items, raters)) * (0.5 - spread**2) ** 0.5,
    )
    right = sum(parts) > 0
    # Of two normal values with correlation r the signs correlate by 2 / pi * arcsin(r).
    recording, item, rater = (2 / math.pi * math.asin(r) for r in (0.25, 0.5, spread**2))
    width = 2 * Z * right.mean(axis=(1, 2, 3)).std()

    assumed = Assumed(0.5, recording, item=item - recording, rater=rater)
    found = assumed_recordings(
        assumed, items_per_recording=items, width=width, raters=raters
    )  # fmt: skip

    assert found == pytest.approx(recordings, rel=0.15)


@pytest.mark.parametrize(
    "changes",
    [{"share": 1.0}, {"recording": -0.1}, {"item": 1.0}, {"recording": 0.6, "rater": 0.6}],
)
def test_what_cannot_be_is_not_assumed(changes):
    with pytest.raises(ValueError, match=r"expected|at most 1"):
        Assumed(**{"share": 0.7, "recording": 0.1, **changes})


@pytest.mark.django_db
def test_page_api_and_command_plan_what_nobody_has_answered(
    step_set, owner_client, outsider_client, capsys
):
    sent = {"accuracy": 0.8, "recording": 0.1, "item": 0.2, "rater": 0.05}
    api = reverse("api-item-set-sizes", args=[step_set.public_id])

    page = owner_client.get(
        reverse("item-set", args=[step_set.public_id]), sent | {"raters": "1, 30"}
    )
    answer = owner_client.get(api, sent | {"raters": [1, 30], "width": 0.1, "form": "csv"})
    options = [text for name, value in sent.items() for text in (f"--{name}", str(value))]
    call_command(
        "benchmark", "plan", "--set", step_set.public_id, *options, "--raters", "1", "30",
        "--width", "0.1", "--form", "csv",
    )  # fmt: skip

    told = capsys.readouterr().out
    assert answer.content.decode() == told
    few, many = csv.DictReader(io.StringIO(told))
    per_recording = items_per_recording(step_set)
    found = assumed_recordings(
        Assumed(0.8, 0.1, 0.2, 0.05), items_per_recording=per_recording, width=0.1, raters=30
    )
    assert (few["recordings_0.1"], many["recordings_0.1"]) == ("", str(found))
    text = page.content.decode()
    assert "So many people differ too much" in text
    assert f'<td class="number">{found}</td>' in text
    assert outsider_client.get(api).status_code == 404
    wrong = owner_client.get(api, {"recording": 0.9, "rater": 0.9})
    assert (wrong.status_code, wrong.json()["detail"]) == (
        400, "the correlations add up to 1.8; at most 1",
    )  # fmt: skip
    with pytest.raises(CommandError, match="name an assessment, or one of"):
        call_command("benchmark", "plan")


@pytest.mark.django_db
def test_api_of_a_participant_says_the_same_as_the_command(assessment, owner_client, capsys):
    api = reverse("api-assessment-sizes", args=[assessment.public_id])
    call_command("benchmark", "plan", assessment.public_id, "--width", "0.1", "--form", "csv")

    answer = owner_client.get(api, {"width": 0.1, "form": "csv"})

    assert answer.content.decode() == capsys.readouterr().out
    assessment.figures.update(low=None, high=None)
    assert owner_client.get(api).status_code == 409
