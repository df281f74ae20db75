"""Who looks at agreement while a main round is open is stored, and the protocol names it."""

import json
from dataclasses import asdict
from io import StringIO

import pytest
from django.core.management import call_command
from django.urls import reverse
from django.utils import timezone

from annotation.analytics.tables.paper_tables import PaperTable
from annotation.engine.campaigns.protocol_file import protocol_hash, protocol_markdown
from annotation.engine.rubric.rubric import Metric, current_rubric
from annotation.models import (
    AuditEntry,
    FilingMoment,
    InterimLook,
    LikelyTruthFigures,
    LikelyValue,
    Phase,
    Round,
)
from annotation.selectors.campaigns.protocol import protocol_of
from annotation.selectors.figures.figures import scope_of_campaign
from annotation.selectors.figures.who_is_right import RaterHabit, likely_state
from tests.annotation.two_rounds import make_two_rounds

pytestmark = pytest.mark.django_db
SEEN = [["Tea", "confusability"]]


@pytest.fixture
def campaign(owner):
    return make_two_rounds(owner)


def pages(campaign):
    dataset = campaign.datasets.get()
    return {
        "report": reverse("campaign-report", args=[campaign.public_id]),
        "csv": reverse("campaign-report-csv", args=[campaign.public_id]),
        "dataset": reverse("dataset-report", args=[dataset.public_id]),
        "paper": reverse("campaign-paper-table", args=[campaign.public_id, "5", "tex"]),
    }


@pytest.fixture(autouse=True)
def noon(monkeypatch):
    """Let no midnight come between two looks."""
    now = timezone.now
    shift = now().replace(hour=12) - now()
    monkeypatch.setattr(timezone, "now", lambda: now() + shift)


def stored():
    looks = InterimLook.objects.order_by("pk")
    return [(look.round.number, look.person.username, look.figures) for look in looks]


@pytest.mark.parametrize("page", ["report", "csv", "dataset", "paper"])
def test_look_at_an_open_main_round_is_stored_once_a_day(owner, owner_client, campaign, page):
    owner_client.get(pages(campaign)[page])
    first = stored()
    for other in pages(campaign).values():
        owner_client.get(other)

    [look] = InterimLook.objects.all()
    assert first == stored() == [(2, owner.username, SEEN)]
    assert look.day == timezone.now().date()
    assert AuditEntry.objects.filter(action="agreement.look").count() == 1


def test_second_person_and_another_day_are_rows_of_their_own(
    owner, owner_client, administrator_client, campaign
):
    owner_client.get(pages(campaign)["report"])
    InterimLook.objects.update(day="2026-01-01")

    owner_client.get(pages(campaign)["report"])
    administrator_client.get(pages(campaign)["report"])

    assert len(stored()) == 3


@pytest.mark.parametrize("state", ["pilot", "closed", "unopened"])
def test_look_at_a_pilot_or_at_what_is_closed_is_none(owner_client, campaign, state):
    main = Round.objects.filter(number=2)
    main.update(
        **{
            "pilot": {"phase": Phase.PILOT},
            "closed": {"closed_at": timezone.now()},
            "unopened": {"opened_at": None},
        }[state]
    )

    page = owner_client.get(pages(campaign)["report"]).content.decode()

    assert not InterimLook.objects.exists()
    assert "still open" not in page


def test_page_of_raters_is_a_look_too(owner_client, campaign):
    main = campaign.rounds.get(number=2)

    page = owner_client.get(
        reverse("round-raters", args=[campaign.public_id, main.number])
    ).content.decode()

    [look] = InterimLook.objects.all()
    assert ["pairs of raters", "confusability"] in look.figures
    assert "is a main round that is still open" in " ".join(page.split())


def test_protocol_names_looks_on_page_and_in_its_file_without_a_name(
    owner, owner_client, administrator_client, campaign
):
    for client in (owner_client, administrator_client):
        client.get(pages(campaign)["report"])

    page = owner_client.get(reverse("protocol", args=[campaign.public_id]))
    protocol = protocol_of(campaign, moment=FilingMoment.RELEASE)

    shown = " ".join(page.content.decode().split())
    assert "Looks at agreement while a main round was open" in shown
    assert f"<td>{owner.username}</td>" in shown
    assert "Tea: Confusability" in shown
    looks = protocol["interim_looks"]
    assert [(look["who"], look["round"], look["alpha_of"]) for look in looks] == [
        ("owner of the campaign", 2, ["Tea: confusability"]),
        ("researcher 1", 2, ["Tea: confusability"]),
    ]  # fmt: skip
    text = protocol_markdown(protocol, protocol_hash(json.dumps(protocol)))
    assert "- owner of the campaign, round 2, " in text
    assert "alpha of Tea: confusability" in text
    text = text.replace("owner of the campaign", "")
    assert not {owner.username, "administrator"} & set(text.split())


def test_protocol_without_a_look_says_so_and_one_filed_before_says_nothing(campaign):
    protocol = protocol_of(campaign, moment=FilingMoment.RELEASE)
    text = protocol_markdown(protocol, "0")
    del protocol["interim_looks"]

    assert "Nobody looked until then." in text
    assert "Looks at agreement" not in protocol_markdown(protocol, "0")


def test_page_of_an_open_main_round_asks_no_more_when_the_look_is_stored(
    owner_client, campaign, django_assert_num_queries
):
    address = pages(campaign)["report"]
    owner_client.get(address)

    with django_assert_num_queries(15):
        owner_client.get(address)


def test_look_outlives_the_person(campaign, owner_client):
    owner_client.get(pages(campaign)["report"])
    InterimLook.objects.update(person=None)

    [look] = protocol_of(campaign, moment=FilingMoment.RELEASE)["interim_looks"]

    assert look["who"] == "by a command, or an account that is gone"


def test_a_look_by_a_command_is_stored_and_named_in_the_protocol(campaign):
    call_command("agreement", campaign=campaign.name, stdout=StringIO())
    call_command("agreement", campaign=campaign.name, json=True, stdout=StringIO())

    [look] = InterimLook.objects.all()
    assert (look.round.number, look.person, look.figures) == (2, None, SEEN)
    [told] = protocol_of(campaign, moment=FilingMoment.RELEASE)["interim_looks"]
    assert told["who"] == "by a command, or an account that is gone"


def test_data_sets_compared_by_a_command_are_a_look_at_each_round_with_an_alpha(owner, campaign):
    make_two_rounds(owner, name="Audit 2", dataset_name="Coffee")

    call_command("agreement", compare=["Tea", "Coffee"], phase="main", stdout=StringIO())

    looks = InterimLook.objects.select_related("round__campaign")
    assert sorted((look.round.campaign.name, look.figures) for look in looks) == [
        ("Audit", SEEN),
        ("Audit 2", [["Coffee", "confusability"]]),
    ]


def test_rounds_compared_by_a_command_are_a_look_at_those_that_are_open(campaign):
    call_command("agreement", dataset="Tea", before_after=[1, 2], stdout=StringIO())

    looks = InterimLook.objects.values_list("round__number", "person", "figures")
    assert list(looks) == [(2, None, SEEN)]


def test_comparing_two_pilots_by_a_command_is_no_look(owner, campaign):
    make_two_rounds(owner, name="Audit 2", dataset_name="Coffee")

    call_command("agreement", compare=["Tea", "Coffee"], phase="pilot", stdout=StringIO())

    assert not InterimLook.objects.exists()


@pytest.mark.parametrize("table", ["3", "5"])
def test_tables_by_a_command_without_a_campaign_are_a_look(campaign, table):
    call_command("agreement", dataset="Tea", tables=[PaperTable(table)], stdout=StringIO())

    assert InterimLook.objects.get().figures == SEEN


def test_the_published_tables_alone_are_no_look(campaign):
    call_command("agreement", tables=[PaperTable("5")], stdout=StringIO())

    assert not InterimLook.objects.exists()


def test_a_look_at_who_is_right_is_stored(owner, owner_client, campaign):
    trace = campaign.datasets.get().traces.first()
    habits = [
        asdict(RaterHabit("Tea", words, "taxonomy_fit", 1, "S", value, float(value == "S")))
        for words in ("round 1 (pilot), guideline 1", "round 2 (main), guideline 1")
        for value in current_rubric().definition(Metric.TAXONOMY_FIT).values
    ]
    figures = LikelyTruthFigures.objects.create(
        campaign=campaign,
        habits=habits,
        state=likely_state(scope_of_campaign(campaign)),
        computed_at=timezone.now(),
    )
    LikelyValue.objects.create(
        figures=figures, dataset="Tea", rounds="round 2 (main), guideline 1", metric="taxonomy_fit",
        trace=trace.uid, event="e1", value="S", given=2, raters=2, is_likeliest=True, posterior=0.9,
    )  # fmt: skip

    for name in ("who-is-right", "who-is-right-csv"):
        owner_client.get(reverse(name, args=[campaign.public_id]))

    assert stored() == [(2, owner.username, [["Tea, who is right", "taxonomy_fit"]])]
    page = owner_client.get(reverse("protocol", args=[campaign.public_id])).content.decode()
    assert "Tea, who is right: Taxonomy Fit" in page
    right = owner_client.get(reverse("who-is-right", args=[campaign.public_id])).content.decode()
    assert "raters saw empty cells and arrows for changed steps" in right
    assert "is a main round that is still open" in right
