"""The command `agreement`: the list of objects, the table, and names that do not exist."""

import io
import json

import pytest
from django.core.management import CommandError, call_command
from django.urls import reverse

from annotation.engine.rubric import Metric
from annotation.models import Assignment, Campaign, Dataset
from tests.annotation.stored_ratings import rate
from tests.factories import (
    AssignmentFactory,
    CampaignFactory,
    DatasetFactory,
    EventFactory,
    TraceFactory,
)

REQUIRED = {
    "dataset", "metric", "level", "alpha", "units", "raters", "ratings", "missing", "aggregate",
    "reason",
}  # fmt: skip
# Krippendorff, "Computing Krippendorff's Alpha-Reliability" (2011), section C: four observers,
# twelve units, values 1-5; the ordinal alpha printed there is 0.815.
ROWS = (
    (1, 2, 3, 3, 2, 1, 4, 1, 2, None, None, None),
    (1, 2, 3, 3, 2, 2, 4, 1, 2, 5, None, 3),
    (None, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, None),
    (1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, None),
)


def run(*arguments: str) -> str:
    output = io.StringIO()
    call_command("agreement", *arguments, stdout=output)
    return output.getvalue()


@pytest.fixture
def rated(db: None) -> None:
    """The published worked example as Confusability ratings of twelve events of one trace each."""
    dataset = DatasetFactory(name="Tea")
    campaign = CampaignFactory(name="Main")
    events = [
        EventFactory(trace=TraceFactory(dataset=dataset, uid=f"t{unit:02}"), index=0)
        for unit in range(12)
    ]
    for row in ROWS:
        rater = None
        for event, value in zip(events, row, strict=True):
            fields = {"rater": rater} if rater else {}
            assignment = AssignmentFactory(campaign=campaign, trace=event.trace, **fields)
            rater = assignment.rater
            if value is not None:
                rate(assignment, event, Metric.CONFUSABILITY, str(value))


def test_agreement_json_gives_the_published_alpha(rated):
    rows = json.loads(run("--dataset", "Tea", "--json"))

    assert [row["metric"] for row in rows] == list(Metric)
    assert all(set(row) >= REQUIRED for row in rows)
    [row] = [row for row in rows if row["metric"] == "confusability"]
    assert round(row["alpha"], 3) == 0.815
    assert (row["level"], row["units"], row["raters"]) == ("ordinal", 12, 4)
    assert (row["ratings"], row["missing"], row["reason"]) == (41, 7, "")
    [empty] = [row for row in rows if row["metric"] == "error_validity"]
    assert (empty["alpha"], empty["missing"], empty["reason"]) == (None, 48, "no ratings")


def test_agreement_table_shows_every_metric_and_reason(rated):
    shown = run("--dataset", "Tea", "--campaign", "Main")

    lines = shown.splitlines()
    assert lines[0] == "Tea"
    assert lines[1].split() == [
        "metric", "level", "alpha", "95%", "interval", "units", "raters", "ratings", "missing",
    ]  # fmt: skip
    assert "0.815" in shown
    assert "Error Validity: " in shown
    assert "no event has a video" in shown


def test_agreement_names_what_does_not_exist(rated):
    with pytest.raises(CommandError, match=r"no data set 'Coffee'\. These exist: Tea\."):
        run("--dataset", "Coffee")
    with pytest.raises(CommandError, match=r"no campaign 'Pilot'\. These exist: Main\."):
        run("--dataset", "Tea", "--campaign", "Pilot")
    with pytest.raises(CommandError, match="--seed is -1; expected 0 or more"):
        run("--dataset", "Tea", "--seed", "-1")


def test_agreement_submitted_only_counts_nothing_before_submission(rated):
    rows = json.loads(run("--dataset", "Tea", "--json", "--submitted-only"))

    assert {row["ratings"] for row in rows} == {0}


def test_command_page_and_api_show_the_very_same_interval(rated, administrator_client):
    campaign = Campaign.objects.get()
    campaign.rounds.update(seed=41)
    campaign.datasets.add(*Dataset.objects.all())

    by_command = json.loads(run("--dataset", "Tea", "--campaign", "Main", "--json"))

    api = administrator_client.get(f"/api/v1/campaigns/{campaign.public_id}/agreement/").json()
    page = administrator_client.get(reverse("campaign-report", args=[campaign.public_id]))
    shown = [row.to_dict() for row in page.context["figures"].rows]
    # The API refers to the data set by its id and has its name beside.
    named = [row | {"dataset": row["dataset_name"]} for row in api]
    assert [{name: row[name] for name in by_command[0]} for row in named] == by_command
    assert {row["dataset"] for row in api} == {campaign.datasets.get().public_id}
    assert shown == by_command
    [row] = [row for row in by_command if row["metric"] == "confusability"]
    other = json.loads(run("--dataset", "Tea", "--campaign", "Main", "--json", "--seed", "0"))
    [moved] = [row for row in other if row["metric"] == "confusability"]
    # Of so few traces the interval is drawn from no seed.
    assert moved == row


def test_every_aggregate_but_a_mean_is_a_percentage(rated):
    assignment = Assignment.objects.first()
    event = assignment.trace.events.get()
    rate(assignment, event, Metric.PROCEDURE_LOGIC, "yes", confidence=3)
    rate(assignment, event, Metric.ERROR_VALIDITY, "yes")
    rate(assignment, event, Metric.TAXONOMY_FIT, "I")

    rows = json.loads(run("--dataset", "Tea", "--json"))

    found = {row["metric"]: row["aggregate"] for row in rows if row["aggregate"] is not None}
    assert found.pop("confusability") == pytest.approx(103 / 41)
    assert found == {"procedure_logic": 100.0, "error_validity": 100.0, "taxonomy_fit": 100.0}
