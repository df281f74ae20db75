"""Answers of people who could see sources before are marked, and counted only when asked for."""

import csv
import io
import json

import pytest
from django.core.management import call_command
from django.urls import reverse
from django.utils import timezone
from rest_framework.test import APIClient

from annotation.engine.ratings.table import read_table
from annotation.models import Assignment, Phase, Rating, Role
from annotation.selectors.figures.rating_export import export_lines
from annotation.selectors.figures.report import ReportScope, report_inputs
from annotation.services.campaigns.campaigns import (
    NewCampaign,
    add_raters,
    close_campaign,
    create_campaign,
    remove_rater,
)
from annotation.services.ratings.assignments import reopen_assignment
from tests.annotation.conftest import client_of
from tests.factories import DatasetFactory, EventFactory, TraceFactory, UserFactory

FIELDS = {"revision": 1, "client_id": "t"}


@pytest.fixture
def dataset(owner):
    dataset = DatasetFactory(owner=owner, name="Bikes")
    EventFactory(trace=TraceFactory(dataset=dataset), index=0)
    return dataset


@pytest.fixture
def campaign(owner, dataset):
    return create_campaign(
        new=NewCampaign("Spring", overlap=9, phase=Phase.MAIN), datasets=[dataset], actor=owner
    )


def join(campaign, *people):
    add_raters(campaign=campaign, raters=people, actor=None)


def marks():
    rows = Assignment.objects.values_list("rater__username", "is_informed")
    return dict(rows)


def rate(assignment, value="4"):
    Rating.objects.create(
        assignment=assignment, event=assignment.trace.events.get(), metric="confusability",
        value=value, rated_at="2026-02-01T10:00:00Z", **FIELDS,
    )  # fmt: skip


def submit(assignment):
    Assignment.objects.filter(pk=assignment.pk).update(
        status="submitted", submitted_at="2026-02-01T11:00:00Z", started_at="2026-02-01T10:00:00Z"
    )
    assignment.refresh_from_db()


def test_who_could_open_the_source_is_marked_when_joining(
    campaign, owner, administrator, outsider, annotator
):
    join(campaign, owner, administrator, outsider, annotator)

    assert marks() == {
        "owner": True, "administrator": True, "outsider": False, "annotator": False,
    }  # fmt: skip


@pytest.mark.parametrize("shared", ["dataset", "campaign"])
def test_a_researcher_to_whom_it_was_shared_is_marked(campaign, dataset, outsider, shared):
    row = {"dataset": dataset, "campaign": campaign}[shared]
    row.is_shared = True
    row.save()

    join(campaign, outsider)

    assert marks() == {"outsider": True}


def test_what_is_shared_while_somebody_rates_is_hidden_and_marks_nobody(
    campaign, dataset, outsider
):
    join(campaign, outsider)
    dataset.is_shared = True
    dataset.save()
    join(campaign, outsider)

    assert marks() == {"outsider": False}
    page = client_of(outsider).get(reverse("dataset-detail", args=[dataset.public_id]))
    assert page.status_code == 403


def test_who_could_look_in_between_is_marked_for_what_is_still_open(campaign, dataset, outsider):
    EventFactory(trace=TraceFactory(dataset=dataset), index=0)
    join(campaign, outsider)
    dataset.is_shared = True
    dataset.save()
    first, second = Assignment.objects.filter(rater=outsider).order_by("position")
    submit(first)
    rate(second)
    Assignment.objects.filter(pk=second.pk).update(started_at="2026-02-01T10:00:00Z")

    remove_rater(campaign=campaign, rater=outsider, actor=None)
    join(campaign, outsider)

    first.refresh_from_db()
    second.refresh_from_db()
    assert (first.is_informed, second.is_informed) == (False, True)
    reopen_assignment(assignment=first, actor=outsider)
    first.refresh_from_db()
    assert first.is_informed is True


def test_reopening_at_once_marks_nobody(campaign, dataset, outsider):
    join(campaign, outsider)
    dataset.is_shared = True
    dataset.save()
    assignment = Assignment.objects.get(rater=outsider)
    submit(assignment)

    reopen_assignment(assignment=assignment, actor=outsider)

    assert marks() == {"outsider": False}


@pytest.fixture
def rated(campaign, owner, annotator, outsider):
    """Return the campaign with an answer each of its owner, a researcher and an annotator."""
    join(campaign, owner, outsider, annotator)
    for assignment in Assignment.objects.all():
        rate(assignment, "1" if assignment.rater == owner else "4")
    close_campaign(campaign=campaign, actor=owner)
    return campaign


def confusability(rows):
    return next(row for row in rows if row["metric"] == "confusability")


def test_marked_answers_are_counted_only_when_asked_for(rated, dataset):
    def counted(**options):
        inputs = report_inputs(ReportScope(dataset, rated.rounds.all(), **options))
        found = next(item for item in inputs if item.metric == "confusability")
        return found.rating_count

    assert (counted(), counted(has_informed=True)) == (2, 3)


def test_command_counts_them_when_asked_for(rated, capsys):
    def counted(*options):
        call_command("agreement", "--dataset", "Bikes", "--campaign", "Spring", "--json", *options)
        row = confusability(json.loads(capsys.readouterr().out))
        return row["ratings"], row["raters"]

    assert counted() == (2, 2)
    assert counted("--with-informed") == (3, 3)


def test_api_and_page_count_them_when_asked_for(rated, owner, owner_client):
    api = APIClient()
    api.force_authenticate(owner)
    address = f"/api/v1/campaigns/{rated.public_id}/agreement/"
    page = reverse("campaign-report", args=[rated.public_id])

    plain, both, wrong = (api.get(address + more) for more in ("", "?informed=yes", "?informed=1"))

    assert confusability(plain.json())["ratings"] == 2
    assert confusability(both.json())["ratings"] == 3
    assert (wrong.status_code, wrong.json()) == (400, {"informed": ["expected yes or no"]})
    offered = 'name="informed" value="yes"{}> with answers of people who could see the sources'
    assert offered.format("") in owner_client.get(page).content.decode()
    shown = owner_client.get(f"{page}?informed=yes").content.decode()
    assert offered.format(" checked") in shown


def test_export_says_whose_answers_are_marked_and_is_read_again(rated):
    text = "".join(export_lines(Rating.objects.all()))
    rows = {row["rater"]: row["informed"] for row in csv.DictReader(io.StringIO(text))}

    assert rows == {"owner": "yes", "outsider": "no", "annotator": "no"}
    read = read_table(text.encode(), file="ratings.csv", now=timezone.now())
    assert {row.rater: row.informed for _, row in read.rows} == {
        "owner": True, "outsider": False, "annotator": False,
    }  # fmt: skip


def test_export_has_no_such_column_where_nobody_is_marked(campaign, annotator):
    join(campaign, annotator)
    rate(Assignment.objects.get())

    assert "informed" not in next(iter(export_lines(Rating.objects.all())))


def test_researchers_can_be_added_on_the_page(campaign, owner_client):
    UserFactory(username="rita", role=Role.RESEARCHER)

    owner_client.post(
        reverse("campaign-add-raters", args=[campaign.public_id]), {"raters": ["rita"]}
    )

    assert marks() == {"rita": False}
