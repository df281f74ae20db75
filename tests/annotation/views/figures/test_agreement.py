"""The pages and the API of agreement: rounds apart, what may be chosen, and differences."""

import csv

import pytest
from django.urls import reverse
from django.utils import timezone
from rest_framework.test import APIClient

from annotation.analytics.agreement.intervals import OUT_OF_RANGE
from annotation.engine.rubric.rubric import Metric
from annotation.engine.taxonomy import EventKind
from annotation.models import (
    Assignment,
    Campaign,
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
    UserFactory,
)


@pytest.fixture
def campaign(owner) -> Campaign:
    """Two data sets of eight traces, rated by three people in a pilot and again in a main round."""
    campaign = CampaignFactory(name="Kitchen", owner=owner, phase="pilot")
    refined = GuidelineVersion.objects.create(
        campaign=campaign, number=2, name="refined", frozen_at=timezone.now()
    )
    main = Round.objects.create(
        campaign=campaign, number=2, guideline=refined, opened_at=timezone.now()
    )
    RatingRound.objects.create(round=main, rubric_version="2")
    raters = [UserFactory() for _ in range(3)]
    for name, shift in (("Coffee", 2), ("Tea", 1)):
        dataset = DatasetFactory(name=name, owner=owner)
        campaign.datasets.add(dataset)
        for number in range(8):
            trace = TraceFactory(dataset=dataset, uid=f"{name}{number}")
            event = EventFactory(trace=trace, index=0)
            for made, strays in ((campaign.rounds.get(number=1), shift), (main, 0)):
                for place, rater in enumerate(raters):
                    assignment = AssignmentFactory(
                        round=made, campaign=campaign, rater=rater, trace=trace
                    )
                    value = 1 + (number + strays * place * (number % 3 == 0)) % 5
                    rate(assignment, event, Metric.CONFUSABILITY, str(value))
    return campaign


def page_of(client, campaign, query=""):
    return client.get(reverse("campaign-report", args=[campaign.public_id]) + query)


def sections(response):
    return [(item.dataset_name, item.basis.rounds) for item in response.context["sections"]]


def test_page_has_a_table_for_each_data_set_and_round(campaign, owner_client):
    page = page_of(owner_client, campaign)

    assert sections(page) == [
        ("Coffee", (1,)), ("Coffee", (2,)), ("Tea", (1,)), ("Tea", (2,)),
    ]  # fmt: skip
    shown = page.content.decode()
    assert "round 1 (pilot), guideline 1" in shown
    assert "round 2 (main), guideline refined" in shown
    # Of so few traces the t interval of a high alpha goes beyond 1.
    assert OUT_OF_RANGE in shown
    assert "8 traces" in shown
    assert "Other coefficients, and what alpha rests on" in shown


def test_page_and_table_have_mistakes_and_corrections_apart(campaign, owner_client):
    without = page_of(owner_client, campaign).content.decode()
    Event.objects.filter(trace__uid__in=[f"Coffee{number}" for number in range(4)]).update(
        kind=EventKind.CORRECTION
    )
    # As a saved answer does, so that the figures are computed anew.
    Assignment.objects.update(change_count=9)

    shown = page_of(owner_client, campaign)
    table = owner_client.get(reverse("campaign-report-csv", args=[campaign.public_id]))
    lines = list(csv.DictReader(b"".join(table.streaming_content).decode().splitlines()))

    assert "Mistakes and corrections apart" not in without
    # Both rounds of Coffee, not Tea.
    assert shown.content.decode().count("Mistakes and corrections apart</summary>") == 2
    assert shown.content.decode().count("Confusability, of corrections</th>") == 2
    of = {
        (line["dataset"], line["round"]): (line["mistakes_units"], line["corrections_units"])
        for line in lines
        if line["metric"] == "confusability"
    }
    assert of[("Coffee", "1")] == ("4", "4")
    assert of[("Tea", "1")] == ("8", "0")


def test_page_pools_rounds_and_counts_submitted_traces_when_asked(campaign, owner_client):
    first = Assignment.objects.order_by("pk").first()
    Assignment.objects.filter(pk=first.pk).update(status="submitted", submitted_at=timezone.now())

    pooled = page_of(owner_client, campaign, "?rows=pooled")
    submitted = page_of(owner_client, campaign, "?submitted=yes&rows=pooled")

    assert sections(pooled) == [("Coffee", (1, 2)), ("Tea", (1, 2))]
    assert "2 rounds pooled, of each rater the last answer" in pooled.content.decode()
    assert [item.rating_count for item in pooled.context["sections"]] == [24, 24]
    assert [item.rating_count for item in submitted.context["sections"]] == [1, 0]
    assert 'name="submitted" value="yes" checked' in submitted.content.decode()
    # The table to download is of the same ratings as the page.
    assert "agreement.csv?submitted=yes&amp;rows=pooled" in submitted.content.decode()


def test_page_and_api_show_differences_with_their_correction(campaign, owner, owner_client):
    api = APIClient()
    api.force_authenticate(owner)

    shown = page_of(owner_client, campaign).content.decode()
    rows = api.get(f"/api/v1/campaigns/{campaign.public_id}/comparisons/").json()

    assert "Before and after a change of the guideline" in shown
    assert "Between data sets" in shown
    known = [row for row in rows if row["difference"] is not None]
    assert [(row["dataset"], row["first"], row["second"], row["rated_in"]) for row in known] == [
        ("Coffee", "round 1 (pilot), guideline 1", "round 2 (main), guideline refined", ""),
        ("Tea", "round 1 (pilot), guideline 1", "round 2 (main), guideline refined", ""),
        ("", "Coffee", "Tea", "round 1 (pilot), guideline 1"),
        ("", "Coffee", "Tea", "round 2 (main), guideline refined"),
    ]
    # In the main round everybody agrees on both: there is no error, and no p of their difference.
    assert [row["p_value"] is None for row in known] == [False, False, False, True]
    assert [row["family_size"] for row in known] == [2, 2, 1, 1]
    assert all(row["metric"] == "confusability" for row in known)


def test_rounds_under_one_guideline_are_no_before_and_after(campaign, owner):
    Round.objects.update(guideline=campaign.guideline_versions.get(number=1))
    api = APIClient()
    api.force_authenticate(owner)

    rows = api.get(f"/api/v1/campaigns/{campaign.public_id}/comparisons/").json()

    assert {(row["dataset"], row["first"], row["second"]) for row in rows} == {
        ("", "Coffee", "Tea")
    }


def test_api_has_the_choices_of_the_page_and_refuses_others(campaign, owner):
    api = APIClient()
    api.force_authenticate(owner)
    address = f"/api/v1/campaigns/{campaign.public_id}/agreement/"

    rows = api.get(address).json()
    pooled = api.get(f"{address}?rows=pooled&submitted=yes").json()
    wrong = [api.get(address + more) for more in ("?rows=all", "?submitted=1")]

    assert [row["round"] for row in rows if row["metric"] == "confusability"] == [1, 2, 1, 2]
    assert {(row["round"], row["is_pooled"], row["ratings"]) for row in pooled} == {(None, True, 0)}
    assert [(item.status_code, item.json()) for item in wrong] == [
        (400, {"rows": ["expected round, guideline, pooled"]}),
        (400, {"submitted": ["expected yes or no"]}),
    ]


def test_page_asks_no_more_of_the_database_with_more_rounds(
    campaign, owner_client, django_assert_num_queries
):
    page_of(owner_client, campaign)
    with django_assert_num_queries(15):
        page_of(owner_client, campaign)
    Round.objects.filter(number=2).delete()
    page_of(owner_client, campaign)

    with django_assert_num_queries(15):
        page_of(owner_client, campaign)
