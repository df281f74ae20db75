"""How many recordings a narrower interval takes: engine, page and command."""

import csv
import io

import pytest
from django.core.management import CommandError, call_command
from django.urls import reverse

from benchmarks.engine.planned_sizes import PlannedSize, Z, design_effect, planned_size
from benchmarks.models import Figure
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
