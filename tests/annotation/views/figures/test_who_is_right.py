"""The page of who is right: stored by a worker, for researchers only, undefined with its reason."""

import csv
import io

import pytest
from django.core.management import call_command
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from annotation.engine.rubric.rubric import Metric
from annotation.models import Job, LikelyValue, Rating
from annotation.services.figures.who_is_right import JOB_KIND, compute_queued_who_is_right
from tests.annotation.stored_ratings import rate
from tests.factories import (
    AssignmentFactory,
    CampaignFactory,
    DatasetFactory,
    EventFactory,
    TraceFactory,
    UserFactory,
)

pytestmark = pytest.mark.django_db


def make_campaign(owner, *, traces=12):
    """Two raters who are always right and one who is wrong half of the time."""
    dataset = DatasetFactory(name="Tea", owner=owner)
    campaign = CampaignFactory(name="Main", owner=owner)
    campaign.datasets.add(dataset)
    raters = UserFactory.create_batch(3)
    for place in range(traces):
        trace = TraceFactory(dataset=dataset, uid=f"t{place:02}")
        event = EventFactory(trace=trace, index=0)
        truth = ("no", "yes")[place % 2]
        for number, rater in enumerate(raters):
            is_wrong = number == 2 and place % 4 < 2
            value = ("yes" if truth == "no" else "no") if is_wrong else truth
            assignment = AssignmentFactory(campaign=campaign, trace=trace, rater=rater)
            rate(assignment, event, Metric.ERROR_VALIDITY, value)
    return campaign


def address(name, campaign):
    return reverse(name, args=[campaign.public_id])


def compute():
    compute_queued_who_is_right(
        job_ids=list(Job.objects.filter(kind=JOB_KIND).values_list("pk", flat=True))
    )


def page_of(client, campaign, query=""):
    page = client.get(address("who-is-right", campaign) + query)
    return " ".join(page.content.decode().split())


def test_figures_are_computed_by_a_worker_and_shown_then(owner_client, owner):
    campaign = make_campaign(owner)

    before = page_of(owner_client, campaign)
    download = owner_client.get(address("who-is-right-csv", campaign))
    assert not LikelyValue.objects.exists()
    compute()
    after = page_of(owner_client, campaign)

    assert "The figures are being computed." in before
    assert download.url == address("who-is-right", campaign)
    assert "Tea/t00" in after
    assert "<b>No</b>" in after
    assert "2 of 3" in after
    assert "rater 3" in after
    assert "0.50" in after
    # Of the eight other metrics of no answer that are asked so, each says why there is nothing.
    assert "Taxonomy Fit: 0 units with two or more raters; expected 10" in after


def test_file_is_what_the_command_prints(owner_client, owner):
    campaign = make_campaign(owner)
    page_of(owner_client, campaign)
    compute()
    output = io.StringIO()

    answer = owner_client.get(address("who-is-right-csv", campaign))
    call_command(
        "agreement", "--campaign", "Main", "--who-is-right", stdout=output, stderr=io.StringIO()
    )

    content = b"".join(answer.streaming_content).decode().lstrip("\ufeff")
    read = [list(csv.DictReader(io.StringIO(text))) for text in (content, output.getvalue())]
    assert read[0] == read[1]
    assert len(read[0]) == 24


def test_raters_who_hardly_overlap_are_undefined_with_a_reason(owner_client, owner):
    campaign = make_campaign(owner, traces=9)
    page_of(owner_client, campaign)
    compute()

    page = page_of(owner_client, campaign)

    assert "Error Validity: 9 units with two or more raters; expected 10" in page
    assert "rater 3" not in page


def test_newer_ratings_are_said_and_computed_anew(owner_client, owner):
    campaign = make_campaign(owner)
    page_of(owner_client, campaign)
    compute()
    first = Rating.objects.first()
    rate(first.assignment, first.event, Metric.STATE_CHANGE_COHERENCE, "yes")
    first.assignment.change_count += 1
    first.assignment.save()

    page = page_of(owner_client, campaign)

    assert "newer rating" in page
    assert Job.objects.filter(kind=JOB_KIND).count() == 1


def test_page_and_file_open_to_researchers_of_the_campaign_only(
    client, owner_client, outsider_client, annotator_client, administrator_client, owner
):
    campaign = make_campaign(owner)
    for name in ("who-is-right", "who-is-right-csv"):
        statuses = [
            visitor.get(address(name, campaign), follow=False).status_code
            for visitor in (outsider_client, annotator_client, client)
        ]
        assert statuses == [404, 403, 302]
    assert owner_client.get(address("who-is-right", campaign)).status_code == 200
    assert administrator_client.get(address("who-is-right", campaign)).status_code == 200


@pytest.mark.parametrize("traces", [12, 16])
def test_page_costs_the_same_queries(owner_client, owner, django_assert_num_queries, traces):
    campaign = make_campaign(owner, traces=traces)
    page_of(owner_client, campaign)
    compute()
    where = address("who-is-right", campaign)
    # The first look of a day at a round that is open is stored.
    owner_client.get(where)

    with django_assert_num_queries(14):
        owner_client.get(where)


@pytest.mark.skipif(connection.vendor != "sqlite", reason="asks SQLite for its plan")
def test_a_page_of_a_long_table_is_read_along_an_index(owner_client, owner):
    """Sorting 400,000 likeliest answers for each page took 0.3 s."""
    campaign = make_campaign(owner)
    page_of(owner_client, campaign)
    compute()

    with CaptureQueriesContext(connection) as asked:
        page_of(owner_client, campaign)

    [sql] = [item["sql"] for item in asked if '"posterior" ASC' in item["sql"]]
    with connection.cursor() as cursor:
        plan = cursor.execute(f"EXPLAIN QUERY PLAN {sql}").fetchall()
    assert [step for *_, step in plan if "B-TREE" in step or step.startswith("SCAN")] == []
