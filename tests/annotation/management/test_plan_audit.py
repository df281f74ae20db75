"""The command `plan_audit`: hours, widths and meetings; names that do not exist."""

import io
import json

import pytest
from django.core.management import CommandError, call_command

from bench.planted_raters import Kind
from tests.annotation.planted_rounds import planted_round
from tests.factories import CampaignFactory


def run(*arguments: str) -> str:
    output = io.StringIO()
    call_command("plan_audit", *arguments, stdout=output)
    return output.getvalue()


@pytest.fixture
def pilot(db):
    made = planted_round([Kind.HONEST] * 3, traces=10)
    made.campaign.name = "Pilot"
    made.campaign.save()
    return made


def test_meetings_need_no_database_and_are_even():
    lines = run("--meetings", "--raters", "5", "--overlap", "2", "--traces", "100").splitlines()
    shown = json.loads(
        run("--meetings", "--raters", "3", "--overlap", "2", "--traces", "7", "--json")
    )

    assert lines[1].split() == ["1", "-", "10", "10", "10", "10"]
    assert lines[-1] == "spread 0"
    assert sorted(shown["meetings"][0] + shown["meetings"][1][2:]) == [0, 2, 2, 3]


def test_hours_and_widths_come_from_the_pilot(pilot):
    asked = [
        "--campaign", "Pilot", "--traces", "50", "--raters", "5", "--overlap", "3",
        "--hours-per-week", "5", "--start", "2026-04-06", "--minutes", "2",
    ]  # fmt: skip

    text = run(*asked)
    found = json.loads(run(*asked, "--json"))

    assert text.splitlines()[:2] == [
        "Pilot, round 1",
        "50 traces, 200 events, 3 raters each, 2.0 minutes per event: 20.0 hours,"
        " 4.0 for each of 5, until 2026-04-12",
    ]
    assert "Human Plausibility: width of the interval by traces" in text
    assert "4  the pilot has 0 traces with 4 raters or more" in text
    assert (found["hours"], found["ends_on"], len(found["metrics"])) == (20.0, "2026-04-12", 9)
    widths = [item["width"] for item in found["metrics"][1]["widths"] if item["overlap"] == 2]
    assert widths == sorted(widths, reverse=True)


def test_times_are_the_pilots_own(pilot):
    found = json.loads(run("--campaign", "Pilot", "--json"))

    # 54 seconds an event, of which the first takes no time before its answer: 3 gaps for 4 events.
    assert found["minutes_per_event"] == pytest.approx(54 * 3 / 4 / 60)


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ([], "Name a campaign with --campaign"),
        (["--campaign", "None such"], "There is no campaign 'None such'. These exist: Pilot."),
        (["--campaign", "Pilot", "--round", "7"], "'Pilot' has no round 7; its rounds: 1."),
        (["--campaign", "Pilot", "--raters", "0"], "--raters is 0; expected 1 or more"),
        (["--campaign", "Pilot", "--alpha", "1"], "--alpha is 1.0; expected 0 to below 1"),
    ],
)
def test_what_is_not_there_is_named(pilot, asked, message):
    with pytest.raises(CommandError) as refused:
        run(*asked)

    assert message in str(refused.value)


def test_an_unrated_round_asks_for_times(db):
    CampaignFactory(name="New")

    assert "No times are known: give --minutes and --events-per-trace." in run("--campaign", "New")
