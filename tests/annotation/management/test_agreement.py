"""The command `agreement`: the list of objects, the table, and names that do not exist."""

import csv
import io
import json
import os
import signal

import pytest
from django.core.management import CommandError, call_command
from django.urls import reverse
from django.utils import timezone

from annotation.analytics.agreement.intervals import OUT_OF_RANGE
from annotation.engine.rubric.rubric import Metric
from annotation.engine.taxonomy import EventKind
from annotation.models import (
    Assignment,
    Campaign,
    Dataset,
    Event,
    GuidelineVersion,
    RatingRound,
    Round,
)
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


def test_agreement_has_mistakes_and_corrections_apart(rated):
    assert "of mistakes" not in run("--dataset", "Tea")
    Event.objects.filter(trace__uid__lt="t06").update(kind=EventKind.CORRECTION)

    shown = run("--dataset", "Tea")

    (line,) = (line for line in shown.splitlines() if "Confusability, of corrections" in line)
    rows = json.loads(run("--dataset", "Tea", "--json"))
    [row] = [row for row in rows if row["metric"] == "confusability"]
    assert f"{row['corrections_alpha']:.3f}" in line
    assert (row["mistakes_units"], row["corrections_units"]) == (6, 6)
    assert round(row["alpha"], 3) == 0.815


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


def test_agreement_that_is_stopped_says_so(rated, monkeypatch):
    monkeypatch.setattr(
        "annotation.management.commands.agreement.build_report",
        lambda *_, **__: os.kill(os.getpid(), signal.SIGINT),
    )

    with pytest.raises(CommandError, match=r"stopped by Ctrl\+C: nothing was written") as stopped:
        run("--dataset", "Tea")

    assert stopped.value.returncode == 128 + signal.SIGINT


def test_agreement_table_shows_every_metric_and_reason(rated):
    shown = run("--dataset", "Tea", "--campaign", "Main")

    lines = shown.splitlines()
    assert lines[0] == "Tea, Main: round 1 (main), guideline 1"
    assert lines[1].split() == [
        "metric", "level", "alpha", "95%", "interval", "by", "clusters", "undefined", "units",
        "raters", "ratings", "missing",
    ]  # fmt: skip
    assert "0.815" in shown
    assert f"Confusability: 2.51 ({OUT_OF_RANGE})" in shown
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
    assert moved["percentile_low"] != row["percentile_low"]
    # With so few traces whether an interval is shown hangs on no seed.
    assert moved["standard_error"] == row["standard_error"]
    assert moved["interval_reason"] == row["interval_reason"] == OUT_OF_RANGE


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


def second_round(campaign, **fields):
    first = campaign.rounds.get()
    refined = GuidelineVersion.objects.create(
        campaign=campaign, number=2, name="refined", frozen_at=timezone.now()
    )
    made = Round.objects.create(
        campaign=campaign, number=2, guideline=refined, opened_at=timezone.now(), **fields
    )
    RatingRound.objects.create(round=made, rubric_version=first.ratings.rubric_version)
    for assignment in Assignment.objects.filter(round=first).order_by("pk"):
        again = AssignmentFactory(
            round=made, campaign=campaign, rater=assignment.rater, trace=assignment.trace
        )
        # Everybody says the same of each event now.
        value = str(1 + assignment.trace_id % 5)
        rate(again, assignment.trace.events.get(), Metric.CONFUSABILITY, value)
    return made


def confusability(*arguments):
    rows = json.loads(run("--json", *arguments))
    return [row for row in rows if row["metric"] == "confusability"]


def test_rounds_have_rows_of_their_own_unless_pooled(rated):
    second_round(Campaign.objects.get())

    rows = confusability("--dataset", "Tea")
    assert [(row["round"], row["guideline_version"]) for row in rows] == [(1, "1"), (2, "refined")]
    assert [round(row["alpha"], 3) for row in rows] == [0.815, 1.0]
    Campaign.objects.get().datasets.add(Dataset.objects.get())
    assert confusability("--campaign", "Main") == rows
    assert confusability("--dataset", "Tea", "--round", "2") == rows[1:]
    assert confusability("--dataset", "Tea", "--by", "guideline") == rows
    [pooled] = confusability("--dataset", "Tea", "--by", "pooled")
    assert (pooled["is_pooled"], pooled["round"], pooled["raters"]) == (True, None, 4)
    assert "2 rounds pooled" in run("--dataset", "Tea", "--by", "pooled")


def test_rounds_are_compared_before_and_after_a_change_of_the_guideline(rated):
    second_round(Campaign.objects.get())

    arguments = ("--dataset", "Tea", "--before-after", "1", "2")
    [found] = confusability(*arguments)

    assert (found["second_alpha"], found["clusters"], found["is_paired"]) == (1.0, 11, True)
    assert found["difference"] == found["first_alpha"] - 1
    assert found["difference_low"] < found["difference"] < found["difference_high"]
    assert (found["interval_method"], found["family_size"]) == ("jackknife-t", 1)
    assert "round 1 (main), guideline 1 less round 2 (main), guideline refined" in run(*arguments)


def test_data_sets_are_compared(rated):
    other = DatasetFactory(name="Coffee")
    campaign = CampaignFactory(name="Second")
    for unit in range(6):
        event = EventFactory(trace=TraceFactory(dataset=other, uid=f"c{unit}"), index=0)
        for value in (unit % 5, (unit + unit % 2) % 5):
            assignment = AssignmentFactory(campaign=campaign, trace=event.trace)
            rate(assignment, event, Metric.CONFUSABILITY, str(1 + value))

    [found] = confusability("--compare", "Tea", "Coffee")

    assert (found["first"], found["second"], found["is_paired"]) == ("Tea", "Coffee", False)
    assert found["basis"] == "over different takes, drawn apart"
    assert found["difference"] == found["first_alpha"] - found["second_alpha"]


def test_comparing_a_data_set_with_several_rounds_asks_which(rated):
    second_round(Campaign.objects.get())

    with pytest.raises(CommandError, match="Tea was rated in several rounds; say which"):
        run("--compare", "Tea", "Tea")


def test_all_coefficients_are_shown_when_asked_for(rated):
    shown = run("--dataset", "Tea", "--coefficients", "all")

    assert "conger kappa" in shown
    assert "conger kappa" not in run("--dataset", "Tea")


def test_what_is_asked_for_has_to_be_there(rated):
    with pytest.raises(CommandError, match="Name a data set or a campaign"):
        run("--json")
    with pytest.raises(CommandError, match=r"There is no round with number 7\."):
        run("--dataset", "Tea", "--round", "7")


def test_who_is_right_gives_each_value_of_each_event_its_likelihood(db):
    dataset, campaign = DatasetFactory(name="Tea"), CampaignFactory(name="Main")
    events = [
        EventFactory(trace=TraceFactory(dataset=dataset, uid=f"t{unit:02}"), index=0)
        for unit in range(12)
    ]
    for wrong_every in (99, 99, 2):
        rater = None
        for place, event in enumerate(events):
            assignment = AssignmentFactory(
                campaign=campaign, trace=event.trace, **({"rater": rater} if rater else {})
            )
            rater = assignment.rater
            is_right = place == 0 or place % wrong_every
            value = ("no", "yes")[(place % 2 == 0) == bool(is_right)]
            rate(assignment, event, Metric.ERROR_VALIDITY, value)

    rows = list(csv.DictReader(io.StringIO(run("--dataset", "Tea", "--who-is-right"))))
    found = json.loads(run("--dataset", "Tea", "--who-is-right", "--json"))

    assert [(row["trace"], row["value"], row["given"]) for row in rows[:4]] == [
        ("t00", "no", "0"), ("t00", "yes", "3"), ("t01", "no", "3"), ("t01", "yes", "0"),
    ]  # fmt: skip
    likeliest = [row["value"] for row in rows if row["is_likeliest"] == "True"]
    assert likeliest == ["yes", "no"] * 6
    assert {row["metric"] for row in rows} == {"error_validity"}
    shown = [
        [float(row[end]) for end in ("low", "posterior", "high")] for row in rows if row["low"]
    ]
    assert all(0 <= low <= posterior <= high <= 1 + 1e-9 for low, posterior, high in shown)
    assert all((row["low"] == "") == (row["high"] == "") for row in rows)
    shares = {
        (habit["rater"], habit["true_value"], habit["given_value"]): habit["share"]
        for habit in found["habits"]
    }
    assert round(shares[1, "yes", "yes"], 6) == 1
    assert shares[3, "yes", "no"] > 0.5
    nothing = (
        "0 units with two or more raters; expected 10: nothing is known of who is seldom wrong"
    )
    assert [reason.endswith(nothing) for reason in found["reasons"]] == [True] * 3
