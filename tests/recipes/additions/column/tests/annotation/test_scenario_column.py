"""The new column is in the table of the command, the page and the API, and is read back."""

import csv
import io

import pytest
from django.core.management import CommandError, call_command
from django.urls import reverse
from rest_framework.test import APIClient

from annotation.models import Rating
from tests.annotation.conftest import client_of
from tests.factories import (
    AssignmentFactory,
    CampaignFactory,
    DatasetFactory,
    EventFactory,
    TraceFactory,
)


@pytest.fixture
def campaign(owner):
    dataset = DatasetFactory(owner=owner)
    trace = TraceFactory(dataset=dataset, take__scenario="Cooking", take__dataset=dataset)
    made = CampaignFactory(owner=owner)
    made.datasets.add(dataset)
    assignment = AssignmentFactory(campaign=made, trace=trace)
    Rating.objects.create(
        assignment=assignment,
        guideline=assignment.round.guideline,
        event=EventFactory(trace=trace, index=0),
        metric="confusability",
        value="3",
        revision=1,
        client_id="tab",
        rated_at="2026-02-01T10:00:00Z",
    )
    return made


def rows(text):
    return [row["scenario"] for row in csv.DictReader(io.StringIO(text))]


def test_table_has_it_wherever_it_is_asked_for(campaign, owner):
    api = APIClient()
    api.force_authenticate(owner)
    out = io.StringIO()

    call_command("export_ratings", stdout=out)
    page = client_of(owner).get(reverse("campaign-ratings-csv", args=[campaign.public_id]))
    answer = api.get(f"/api/v1/campaigns/{campaign.public_id}/ratings/")

    tables = [out.getvalue(), *(b"".join(item).decode() for item in (page, answer))]
    assert [rows(table) for table in tables] == [["Cooking"]] * 3


def test_table_is_read_back_with_it_and_without(campaign, tmp_path, capsys):
    path = tmp_path / "ratings.csv"
    call_command("export_ratings", "--out", str(path))
    text = path.read_text()

    call_command("import_ratings", str(path))
    path.write_text(text.replace(",scenario", "").replace(",Cooking", ""))
    call_command("import_ratings", str(path))

    assert capsys.readouterr().out.count("Nothing changed") == 2
    path.write_text(text.replace("Cooking", "x" * 201))
    with pytest.raises(CommandError, match=r"scenario is .* expected at most 200 characters"):
        call_command("import_ratings", str(path))
